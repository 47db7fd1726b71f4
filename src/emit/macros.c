/* macros.c: writes the macros of a variant. SPDX-License-Identifier: MIT */
#include "emit/macros.h"

#include "source/defines.h"
#include "source/scan.h"

#include <inttypes.h>
#include <string.h>

static bool has_word(const char *type, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    while (*type) {
        size_t length = strspn(type, letters);
        if (length == strlen(word) && memcmp(type, word, length) == 0)
            return true;
        type += length ? length : 1;
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

/* A third-party file may use T for something else, so T is defined only if the file needs it. */
enum gradus_status gr_macros_write(const struct gr_variant *v, struct gr_str *out,
                                   struct gradus_error *error)
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
    gr_scan_free(&scan);
    write_type_header(k, v->types.a, out);
    if (k->has_front_matter)
        gr_str_printf(out, "#define TA %d\n#define TB %d\n", v->trans_a, v->trans_b);
    for (int i = 0; i < k->param_count; i++)
        gr_str_printf(out, "#define %s %" PRId64 "\n", k->params[i].name.text, v->params[i]);
    for (int i = 0; i < k->let_count; i++) {
        int64_t value;
        status = gr_variant_eval(v, NULL, NULL, &k->lets[i].value, &value, error);
        if (status != GRADUS_OK)
            return status;
        gr_str_printf(out, "#define %s %" PRId64 "\n", k->lets[i].name.text, value);
    }
    return GRADUS_OK;
}
