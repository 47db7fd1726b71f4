/* launch_hint.c: suggests the options that give a launch. SPDX-License-Identifier: MIT */
#include "plan/launch_hint.h"

#include "core/error.h"
#include "base/str.h"
#include "launches/guess.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it a number, or completely enclosed in brackets? */
static bool is_single_operand(const char *value)
{
    int depth = 0;
    const char *p = value;
    if (value[strspn(value, "0123456789")] == 0)
        return true;
    do
        depth += (*p == '(') - (*p == ')');
    while (*p++ && depth > 0);
    return *value == '(' && *p == 0;
}

/* Returns `text`, which is freed, with each word `name` replaced by `value`. */
static char *with_value(char *text, const char *name, const char *value)
{
    struct gr_str out = {0};
    size_t length = strlen(name);
    bool plain = is_single_operand(value);
    for (const char *p = text; p && *p;) {
        bool here = strncmp(p, name, length) == 0 && !is_of_name(p[length]) &&
                    (p == text || !is_of_name(p[-1]));
        if (here)
            gr_str_printf(&out, plain ? "%s" : "(%s)", value);
        else
            gr_str_add_bytes(&out, p, 1);
        p += here ? length : 1;
    }
    free(text);
    return out.text;
}

/* Replaces in `text`, which is freed, the names that `lets` defines ("TILE = 32, NT =
 * TILE*TILE") by their values, because the command line does not know them. Begins with the
 * last, which may use the others. */
static char *without_lets(char *text, const char *lets)
{
    char *left = gr_strdup(lets);
    while (left && *left) {
        char *equals = strstr(left, " = "), *next = equals, *item = left;
        while (next && (next = strstr(next + 1, " = ")))
            equals = next;
        if (!equals)
            break;
        *equals = 0;
        for (char *comma = left; (comma = strchr(comma, ','));)
            item = ++comma;
        item += strspn(item, " ");
        text = with_value(text, item, equals + 3);
        while (item > left && strchr(", ", item[-1]))
            item--;
        *item = 0;
    }
    free(left);
    return text;
}

/* Writes --grid 'cdiv(N, 32)' --block '32, 32'. */
static void write_options(struct gr_guess *guess, struct gr_str *out)
{
    const struct {
        const char *name;
        char **value;
    } options[] = {{"grid", &guess->grid}, {"block", &guess->block}, {"smem", &guess->smem}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char *value = without_lets(*options[i].value, guess->lets);
        *options[i].value = value;
        if (value && strcmp(value, "0") != 0)
            gr_str_printf(out, " --%s '%s'", options[i].name, value);
    }
}

enum gradus_status gr_launch_hint(const struct gr_kernel *k, const struct gr_stanza *stanza,
                                  struct gradus_error *error)
{
    const char *missing = stanza->grid.count ? "block" : "grid", *name = stanza->signature.name;
    struct gr_str options = {0};
    struct gr_guess guess;
    if (!gr_launch_guess(k, stanza, &guess))
        return gr_fail(
            error, GRADUS_INVALID,
            "%s: no %s for %s; add --grid and --block, as --grid 'cdiv(N,32),cdiv(M,32)' "
            "--block 32,32, or `//@` lines to the file",
            k->path, missing, name);
    write_options(&guess, &options);
    enum gradus_status status =
        guess.doubt ? gr_fail(error, GRADUS_INVALID,
                              "%s: no %s for %s; a guess from %s:%d, since %s:%s", k->path, missing,
                              name, guess.path, guess.line, guess.doubt, gr_str_text(&options))
                    : gr_fail(error, GRADUS_INVALID, "%s: no %s for %s; its own launch comes to%s",
                              k->path, missing, name, gr_str_text(&options));
    gr_guess_free(&guess);
    gr_str_free(&options);
    return status;
}
