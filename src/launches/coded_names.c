/* coded_names.c: compares a name with those in the symbols. SPDX-License-Identifier: MIT */
#include "launches/coded_names.h"

#include "base/str.h"
#include "code/demangle.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* How well a name fits; only the best counts, so that `k` means the kernel k and not deep::k. */
enum fit { FIT_NONE, FIT_SHORT, FIT_END, FIT_WHOLE, FIT_SYMBOL };

/* The text without blanks, up to the parameters if there are any. malloc'ed; null: no memory. */
static char *packed(const char *text)
{
    struct gr_str out = {0};
    int angles = 0;
    gr_str_add(&out, "");
    for (; *text && !(*text == '(' && angles == 0 && !gr_starts_with(text, "(anonymous")); text++) {
        angles += (*text == '<') - (*text == '>');
        if (*text != ' ')
            gr_str_add_bytes(&out, text, 1);
    }
    if (out.failed)
        gr_str_free(&out);
    return out.text;
}

/* Does `name` end with `end`, at the beginning of one of its parts? */
static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), count = strlen(end);
    if (count > length || strcmp(name + length - count, end) != 0)
        return false;
    return count == length || (length - count >= 2 && name[length - count - 1] == ':');
}

static enum fit fit_of(const char *symbol, const char *name, const char *wanted)
{
    char *has = packed(name), *wants = packed(wanted);
    enum fit fit = FIT_NONE;
    if (strcmp(symbol, wanted) == 0) {
        fit = FIT_SYMBOL;
    } else if (has && wants && *wants) {
        if (strcmp(has, wants) == 0)
            fit = FIT_WHOLE;
        else if (ends_in(has, wants))
            fit = FIT_END;
        has[strcspn(has, "<")] = 0;
        if (fit == FIT_NONE && ends_in(has, wants))
            fit = FIT_SHORT;
    }
    free(has);
    free(wants);
    return fit;
}

/* The names of the kernels that `wanted` fits equally well, or of all. A name that several have is
 * given as symbols. */
static void list(const struct gr_code *code, const enum fit *fits, enum fit fit, struct gr_str *out)
{
    enum { MOST_BYTES = 600 };
    int left = 0;
    for (int i = 0; i < code->count; i++) {
        struct gr_demangled one;
        bool shared = false;
        if (fits[i] != fit)
            continue;
        if (out->length > MOST_BYTES) {
            left++;
            continue;
        }
        gr_demangle(code->kernels[i].symbol, &one);
        for (int j = 0; j < code->count && one.name; j++) {
            struct gr_demangled other;
            if (j != i && gr_demangle(code->kernels[j].symbol, &other))
                shared |= strcmp(one.name, other.name) == 0;
            if (j != i)
                gr_demangled_free(&other);
        }
        gr_str_printf(out, "%s%s", out->length ? "; " : "",
                      shared || !one.name ? code->kernels[i].symbol : one.name);
        gr_demangled_free(&one);
    }
    if (left > 0)
        gr_str_printf(out, "; and %d more", left);
}

/* Writes how well each kernel fits, and returns the number of those that fit best. */
static int compare(const struct gr_code *code, const char *wanted, enum fit *fits, enum fit *best,
                   int *which)
{
    int count = 0;
    *best = FIT_NONE;
    for (int i = 0; i < code->count; i++) {
        struct gr_demangled one;
        if (wanted && gr_demangle(code->kernels[i].symbol, &one))
            fits[i] = fit_of(code->kernels[i].symbol, one.name, wanted);
        if (wanted)
            gr_demangled_free(&one);
        if (fits[i] > *best)
            *best = fits[i];
    }
    for (int i = 0; i < code->count; i++)
        if (fits[i] == *best) {
            *which = i;
            count++;
        }
    return count;
}

enum gradus_status gr_coded_choose(const struct gr_code *code, const char *path, const char *wanted,
                                   const struct gr_code_kernel **kernel, struct gradus_error *error)
{
    enum fit *fits = calloc((size_t)code->count + 1, sizeof *fits), best;
    int which = 0;
    if (!fits)
        return gr_fail_memory(error, path, (size_t)code->count * sizeof *fits);
    const int count = compare(code, wanted, fits, &best, &which);
    struct gr_str names = {0};
    enum gradus_status status = GRADUS_OK;
    if (count != 1 || (wanted && best == FIT_NONE))
        list(code, fits, best, &names);
    if (code->count == 0)
        status =
            gr_fail(error, GRADUS_INVALID, "%s: no kernel (__global__ function) is in it", path);
    else if (wanted && best == FIT_NONE)
        status = gr_fail(error, GRADUS_NOT_FOUND, "%s: no kernel '%.100s' is in it; it has: %s",
                         path, wanted, gr_str_text(&names));
    else if (count > 1)
        status = gr_fail(error, GRADUS_INVALID,
                         "%s: %d kernels%s%.100s%s, wanted one; choose it by "
                         "--kernel: %s",
                         path, count, wanted ? " fit '" : "", wanted ? wanted : "",
                         wanted ? "'" : "", gr_str_text(&names));
    *kernel = &code->kernels[which];
    gr_str_free(&names);
    free(fits);
    return status;
}
