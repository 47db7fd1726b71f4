/* number_types.c: types of numbers that a header defines, in the parameters of kernels.
 * SPDX-License-Identifier: MIT */
#include "catalog/number_types.h"

#include "base/str.h"
#include "catalog/parameters.h"
#include "source/defines.h"

#include <stdlib.h>
#include <string.h>

/* Is it a type that no header of the file has to define? */
static bool is_known_word(const struct gr_scan *scan, const struct gr_function *f, int i)
{
    static const char *const words[] = {"const",
                                        "volatile",
                                        "struct",
                                        "class",
                                        "unsigned",
                                        "signed",
                                        "void",
                                        "bool",
                                        "char",
                                        "short",
                                        "int",
                                        "long",
                                        "float",
                                        "double",
                                        "size_t",
                                        "half",
                                        "__half",
                                        "nv_bfloat16",
                                        "uint",
                                        "__nv_bfloat16",
                                        "int8_t",
                                        "uint8_t",
                                        "int16_t",
                                        "uint16_t",
                                        "int32_t",
                                        "uint32_t",
                                        "int64_t",
                                        "uint64_t",
                                        "std",
                                        "typename",
                                        "float2",
                                        "float4",
                                        "double2",
                                        "int4",
                                        "half2",
                                        "__half2",
                                        "__grid_constant__",
                                        "CUtensorMap",
                                        NULL};
    for (int w = 0; words[w]; w++)
        if (gr_token_is(scan, i, words[w]))
            return true;
    for (int t = f->head; t < f->name; t++)
        if (gr_tokens_same(scan, t, i))
            return true;
    return false;
}

/* Is the directive before token i an #else? */
static bool is_in_else(const struct gr_scan *scan, int i)
{
    while (--i >= 0 && scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        ;
    const char *p = i >= 0 ? scan->text + scan->tokens[i].begin + 1 : "";
    return gr_starts_with(p + strspn(p, " \t"), "else");
}

/* The replacement of the macro `name`, malloc'ed; null: there is none. If there are several, the
 * one in the #else, since no macro is defined from outside. */
static char *macro_of(const struct gr_scan *scan, const char *name)
{
    char *found = NULL;
    int count = 0;
    bool in_else = false;
    for (int i = 0; i < scan->token_count; i++) {
        size_t length = 0;
        const char *body = gr_define_body(scan, i, name, &length);
        if (!body || !length)
            continue;
        count++;
        if (found && !is_in_else(scan, i))
            continue;
        in_else = is_in_else(scan, i);
        free(found);
        found = gr_strndup(body, length);
    }
    if (count < 2 || in_else)
        return found;
    free(found);
    return NULL;
}

char *gr_number_type(const struct gr_scan *scan, const char *type)
{
    char *body = macro_of(scan, type);
    struct gr_parameter p = {.type = body ? body : (char *)type};
    char bare[64];
    enum gr_dtype dtype;
    gr_type_resolved(scan, p.type, bare);
    const bool is_number = strcmp(bare, type) != 0 &&
                           (gr_parameter_dtype(scan, &p, &dtype) || gr_parameter_bits(scan, &p));
    free(body);
    return is_number ? gr_strdup(bare) : NULL;
}

void gr_number_types_resolve(struct gr_rewriting *r, const struct gr_function *f)
{
    for (int i = f->parameters_begin; i < f->parameters_end;) {
        const int end = gr_rewriting_parameter_end(&r->scan, i, f->parameters_end);
        struct gr_range type = {0, 0};
        struct gr_member m;
        int at = i;
        const bool read = gr_declarator_read(&r->scan, (struct gr_range){i, end}, &type, &at, &m);
        for (int t = type.begin; read && m.stars <= 1 && t < type.end; t++) {
            if (r->scan.tokens[t].kind != GR_TOKEN_WORD || is_known_word(&r->scan, f, t))
                continue;
            char *word = gr_token_text(&r->scan, t);
            char *number = word ? gr_number_type(&r->scan, word) : NULL;
            if (number)
                gr_rewriting_replace(r, r->scan.tokens[t].begin, r->scan.tokens[t].end, number);
            free(word);
        }
        i = end + 1;
    }
}

/* Does a kernel have a parameter of a type that is not one of the file's structures? */
bool gr_number_types_unknown(const struct gr_rewriting *r)
{
    for (int k = 0; k < r->scan.function_count; k++) {
        const struct gr_function *f = &r->scan.functions[k];
        for (int i = f->parameters_begin; f->is_global && i < f->parameters_end;) {
            const int end = gr_rewriting_parameter_end(&r->scan, i, f->parameters_end);
            struct gr_range type = {0, 0};
            struct gr_member m;
            int at = i;
            if (gr_declarator_read(&r->scan, (struct gr_range){i, end}, &type, &at, &m) &&
                m.stars <= 1 && !gr_structure_of(&r->scan, &r->structures, type, NULL))
                for (int t = type.begin; t < type.end; t++)
                    if (r->scan.tokens[t].kind == GR_TOKEN_WORD && !is_known_word(&r->scan, f, t))
                        return true;
            i = end + 1;
        }
    }
    return false;
}
