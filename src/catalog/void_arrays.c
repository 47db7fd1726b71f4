/* void_arrays.c: finds what a kernel converts its `void *` parameters to.
 * SPDX-License-Identifier: MIT */
#include "catalog/void_arrays.h"

#include "base/str.h"
#include "catalog/parameters.h"

#include <stdlib.h>
#include <string.h>

/* The token that opens what token `close` closes, of "(" or "<"; -1: none before `first`. */
static int opening(const struct gr_scan *scan, int close, int first, const char *open,
                   const char *closing)
{
    int depth = 0;
    for (int i = close; i >= first; i--) {
        depth += gr_token_is(scan, i, closing);
        depth -= gr_token_is(scan, i, open);
        if (depth == 0)
            return i;
    }
    return -1;
}

/* The type `const half *` in a conversion of the name at token i. */
static struct gr_range converted_to(const struct gr_scan *scan, int i, int first)
{
    struct gr_range none = {0, 0};
    int open = -1;
    if (gr_token_is(scan, i - 1, ")")) {
        open = opening(scan, i - 1, first, "(", ")");
        return open < 0 ? none : (struct gr_range){open + 1, i - 1};
    }
    if (gr_token_is(scan, i - 1, "(") && gr_token_is(scan, i - 2, ">"))
        open = opening(scan, i - 2, first, "<", ">");
    const bool is_cast = open > first && (gr_token_is(scan, open - 1, "reinterpret_cast") ||
                                          gr_token_is(scan, open - 1, "static_cast"));
    return is_cast ? (struct gr_range){open + 1, i - 2} : none;
}

/* The word of the type that a pointer to it is converted to, malloc'ed; null: it is no number's. */
static char *element_type(const struct gr_scan *scan, const struct gr_function *f,
                          struct gr_range type)
{
    int word = -1, stars = 0;
    for (int i = type.begin; i < type.end; i++) {
        stars += gr_token_is(scan, i, "*");
        if (scan->tokens[i].kind == GR_TOKEN_WORD && !gr_token_is(scan, i, "const"))
            word = i;
    }
    char *text = word >= 0 && stars == 1 ? gr_token_text(scan, word) : NULL;
    enum gr_dtype dtype;
    bool known = text && gr_parameter_dtype(scan, &(struct gr_parameter){.type = text}, &dtype);
    for (int i = f->head; i < f->name && text; i++) /* a type of its template */
        known |= gr_token_is(scan, i, text) &&
                 (gr_token_is(scan, i - 1, "typename") || gr_token_is(scan, i - 1, "class"));
    if (known)
        return text;
    free(text);
    return NULL;
}

static bool name_one(const struct gr_scan *scan, const struct gr_function *f,
                     struct gr_parameter *p)
{
    char *at = strstr(p->type, "void");
    if (!p->pointer || !at || !*p->name)
        return true;
    for (int i = f->body_begin; i < f->body_end; i++) {
        if (!gr_token_is(scan, i, p->name))
            continue;
        char *word = element_type(scan, f, converted_to(scan, i, f->body_begin));
        if (!word)
            continue;
        char *type = gr_printf("%.*s%s%s", (int)(at - p->type), p->type, word, at + strlen("void"));
        free(word);
        if (!type)
            return false;
        free(p->type);
        p->type = type;
        return true;
    }
    return true;
}

bool gr_void_arrays_name(const struct gr_scan *scan, const struct gr_function *f,
                         struct gr_signature *signature)
{
    bool ok = true;
    for (int i = 0; i < signature->count && ok && f->is_global; i++)
        ok = name_one(scan, f, &signature->parameters[i]);
    return ok;
}
