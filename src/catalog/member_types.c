/* member_types.c: follows `Bench::T` to `using T = float;` in the class. SPDX-License-Identifier:
 * MIT
 */
#include "catalog/member_types.h"

#include "base/str.h"
#include "catalog/number_types.h"
#include "catalog/parameters.h"

#include <stdlib.h>
#include <string.h>

/* Is there `Class::member` at token i, with no further qualifier or template? */
static bool is_member_type(const struct gr_scan *scan, int i, int end)
{
    return i + 3 < end && scan->tokens[i].kind == GR_TOKEN_WORD && !gr_token_is(scan, i, "std") &&
           gr_token_is(scan, i + 1, ":") && gr_token_is(scan, i + 2, ":") &&
           scan->tokens[i + 3].kind == GR_TOKEN_WORD && !gr_token_is(scan, i - 1, ":") &&
           !gr_token_is(scan, i + 4, ":") && !gr_token_is(scan, i + 4, "<");
}

/* The members of the class that token `word` names; empty: the text defines none. */
static struct gr_range members_of(const struct gr_scan *scan, int word)
{
    for (int i = 1; i + 1 < scan->token_count; i++) {
        if (!gr_tokens_same(scan, i, word) ||
            (!gr_token_is(scan, i - 1, "struct") && !gr_token_is(scan, i - 1, "class")))
            continue;
        int open = i + 1;
        while (open < scan->token_count && !gr_token_is(scan, open, "{") &&
               !gr_token_is(scan, open, ";"))
            open++;
        if (gr_token_is(scan, open, "{"))
            return (struct gr_range){open + 1, gr_token_close(scan, open, scan->token_count) - 1};
    }
    return (struct gr_range){0, 0};
}

/* The type that the members call by the name at token `word`: of `using T = float;` and `typedef
 * float T;`. malloc'ed; null: none. */
static char *alias_in(const struct gr_scan *scan, struct gr_range members, int word)
{
    for (int i = members.begin; i < members.end; i++) {
        if (!gr_tokens_same(scan, i, word))
            continue;
        int begin = i, end = i;
        if (gr_token_is(scan, i - 1, "using") && gr_token_is(scan, i + 1, "=")) {
            begin = i + 2;
            for (end = begin; end < members.end && !gr_token_is(scan, end, ";");)
                end++;
        } else if (gr_token_is(scan, i + 1, ";")) {
            while (begin > members.begin && !gr_token_is(scan, begin - 1, ";") &&
                   !gr_token_is(scan, begin - 1, "typedef"))
                begin--;
            if (!gr_token_is(scan, begin - 1, "typedef"))
                continue;
        }
        if (end > begin)
            return gr_tokens_text(scan, (struct gr_range){begin, end});
    }
    return NULL;
}

/* The number that the type is, malloc'ed; null: it is none. */
static char *number_of(const struct gr_scan *scan, char *type)
{
    enum gr_dtype dtype;
    const struct gr_parameter p = {.type = type};
    if (gr_parameter_dtype(scan, &p, &dtype) || gr_parameter_bits(scan, &p))
        return gr_strdup(type);
    return gr_number_type(scan, type);
}

void gr_member_types_resolve(struct gr_rewriting *r, const struct gr_function *f)
{
    for (int i = f->parameters_begin; i < f->parameters_end; i++) {
        if (!is_member_type(&r->scan, i, f->parameters_end))
            continue;
        const struct gr_range members = members_of(&r->scan, i);
        char *alias = alias_in(&r->scan, members, i + 3);
        char *number = alias ? number_of(&r->scan, alias) : NULL;
        const int from = gr_token_is(&r->scan, i - 1, "typename") ? i - 1 : i;
        if (number)
            gr_rewriting_replace(r, r->scan.tokens[from].begin, r->scan.tokens[i + 3].end, number);
        free(alias);
    }
}

bool gr_member_types_unknown(const struct gr_rewriting *r)
{
    for (int k = 0; k < r->scan.function_count; k++) {
        const struct gr_function *f = &r->scan.functions[k];
        for (int i = f->parameters_begin; f->is_global && i < f->parameters_end; i++) {
            const struct gr_range members = is_member_type(&r->scan, i, f->parameters_end)
                                                ? members_of(&r->scan, i)
                                                : (struct gr_range){0, 1};
            if (members.end == 0)
                return true;
        }
    }
    return false;
}
