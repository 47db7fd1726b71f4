/* macros.c: writes the macros of a variant. SPDX-License-Identifier: MIT */
#include "emit/macros.h"

#include "catalog/catalog.h"
#include "source/declared.h"
#include "source/defines.h"
#include "source/scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/* `word` in the first `length` characters of the text. */
static bool has_word_within(const char *text, size_t length, const char *word)
{
    const size_t wanted = strlen(word);
    for (const char *end = text + length; text < end;) {
        size_t run = 0;
        while (isalnum((unsigned char)text[run]) || text[run] == '_')
            run++;
        if (run == wanted && memcmp(text, word, run) == 0)
            return true;
        text += run ? run : 1;
    }
    return false;
}

static bool has_word(const char *text, const char *word)
{
    return strstr(text, word) && has_word_within(text, strlen(text), word);
}

/* Is the word in a line that is not front matter? Definitions of macros, which a scan leaves out,
 * are included. */
static bool lines_have_word(const char *source, const char *word)
{
    for (const char *line = source; *line;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, "//@", 3) != 0 && has_word_within(line, length, word))
            return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

static bool signatures_name(const struct gr_kernel *k, const char *word)
{
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++)
            if (!k->stanzas[s].signature.is_generic &&
                has_word(k->stanzas[s].signature.parameters[i].type, word))
                return true;
    return false;
}

static bool file_names(const struct gr_scan *scan, const char *word)
{
    for (int i = 0; i < scan->token_count; i++)
        if (gr_token_is(scan, i, word))
            return true;
    return false;
}

/* May the code of the kernel use the macro `word`? For a user's file the answer is always yes,
 * since its headers are not known here. A rung includes only headers beside the rungs. If ## forms
 * names, any name may be used. */
static bool code_may_name(const struct gr_kernel *k, const char *word)
{
    static const char folder[] = "kernels/gpu/";
    if (!k->built_in || k->language != GR_LANGUAGE_CUDA || strstr(k->source, "##") ||
        lines_have_word(k->source, word))
        return true;
    for (int s = 0; s < k->stanza_count; s++)
        if (k->stanzas[s].kernel.text && has_word(k->stanzas[s].kernel.text, word))
            return true;
    for (int i = 0; gr_embedded_at(i); i++) {
        const struct gr_embedded *file = gr_embedded_at(i);
        const char *end = file->path + strlen(file->path);
        if (strncmp(file->path, folder, strlen(folder)) == 0 && strcmp(end - 2, ".h") == 0 &&
            has_word(file->text, word))
            return true;
    }
    return false;
}

/* T or T_C, the type of the elements of A or of C. In CUDA, T is a type alias and not a macro,
 * because the toolkit's headers have templates with a parameter T, which may hide a type but not a
 * macro. The 8- and 16-bit types are only declared once the file has included their header; T is a
 * macro for those. */
static void write_element_type(const struct gr_kernel *k, const struct gr_scan *scan,
                               const char *name, enum gr_dtype type, struct gr_str *out)
{
    bool late = type == GR_F16 || type == GR_BF16 || type == GR_E4M3 || type == GR_E5M2;
    if (late && k->language == GR_LANGUAGE_C) { /* C has no such types */
        gr_str_printf(out, "#define %s unsigned %s\n", name,
                      gr_dtype_bytes(type) == 2 ? "short" : "char");
        return;
    }
    if (k->language == GR_LANGUAGE_CUDA && !late)
        gr_str_printf(out, "typedef %s %s;\n", gr_dtype_ctype(type), name);
    else if (!late || file_names(scan, name))
        gr_str_printf(out, "#define %s %s\n", name, gr_dtype_ctype(type));
}

/* Includes the header of a 16-bit type, for a template in a file that does not include it. */
static void write_type_header(const struct gr_kernel *k, enum gr_dtype type, struct gr_str *out)
{
    const char *header = type == GR_F16 ? "cuda_fp16.h" : type == GR_BF16 ? "cuda_bf16.h" : NULL;
    bool given = false;
    for (int s = 0; s < k->stanza_count; s++)
        given |= k->stanzas[s].kernel.text && strchr(k->stanzas[s].kernel.text, '<');
    if (header && given && k->language == GR_LANGUAGE_CUDA && !strstr(k->source, header))
        gr_str_printf(out, "#include <%s>\n", header);
}

/* A macro would break a declaration of the file that has the same name for a member or a parameter,
 * as `template <int BM>` has. Then the value is a constant, which such a name may hide. */
static void write_value(const struct gr_kernel *k, const struct gr_scan *scan, const char *name,
                        int64_t value, struct gr_str *out)
{
    int at;
    const bool is_int = value >= INT32_MIN && value <= INT32_MAX;
    if (!is_int || gr_declared_find(scan, name, &at) != GR_DECLARED_INSIDE ||
        gr_condition_names(scan, name))
        gr_str_printf(out, "#define %s %" PRId64 "\n", name, value);
    else if (k->language == GR_LANGUAGE_C)
        gr_str_printf(out, "enum { %s = %" PRId64 " };\n", name, value);
    else
        gr_str_printf(out, "static constexpr int %s = %" PRId64 ";\n", name, value);
}

/* The values of the params and the lets, all of them or those that the kernel's code may name. */
static enum gradus_status write_values(const struct gr_variant *v, enum gr_macros which,
                                       const struct gr_scan *scan, struct gr_str *out,
                                       struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    for (int i = 0; i < k->param_count; i++)
        if (which == GR_MACROS_ALL || code_may_name(k, k->params[i].name.text))
            write_value(k, scan, k->params[i].name.text, v->params[i], out);
    for (int i = 0; i < k->let_count; i++) {
        int64_t value;
        enum gradus_status status =
            gr_variant_eval(v, NULL, NULL, &k->lets[i].value, &value, error);
        if (status != GRADUS_OK)
            return status;
        if (which == GR_MACROS_ALL || code_may_name(k, k->lets[i].name.text))
            write_value(k, scan, k->lets[i].name.text, value, out);
    }
    return GRADUS_OK;
}

/* A third-party file may use T for something else, so T is defined only if the file needs it. */
enum gradus_status gr_macros_write(const struct gr_variant *v, enum gr_macros which,
                                   struct gr_str *out, struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    struct gr_scan scan;
    enum gradus_status status = gr_scan_text(k->path, k->source, &scan, error);
    if (status != GRADUS_OK)
        return status;
    bool requested = k->has_front_matter || signatures_name(k, "T");
    if (requested && gr_define_find(&scan, "T") < 0)
        write_element_type(k, &scan, "T", v->types.a, out);
    if (k->has_front_matter && file_names(&scan, "T_C") && gr_define_find(&scan, "T_C") < 0)
        write_element_type(k, &scan, "T_C", v->types.c, out);
    write_type_header(k, v->types.a, out);
    if (k->has_front_matter)
        gr_str_printf(out, "#define TA %d\n#define TB %d\n", v->trans_a, v->trans_b);
    status = write_values(v, which, &scan, out, error);
    gr_scan_free(&scan);
    return status;
}
