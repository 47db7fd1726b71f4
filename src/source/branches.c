/* branches.c: goes back over the statements before a token. SPDX-License-Identifier: MIT */
#include "source/branches.h"

/* The end of the statement or block at token i. */
static int statement_end(const struct gr_scan *scan, int i, int end)
{
    if (gr_token_is(scan, i, "{"))
        return gr_token_close(scan, i, end);
    while (i < end && !gr_token_is(scan, i, ";"))
        i = gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{") ? gr_token_close(scan, i, end)
                                                                   : i + 1;
    return i + 1;
}

/* The value of the only assignment to the variable in [begin, end). */
static bool assigned_in(const struct gr_scan *scan, const char *name, int begin, int end,
                        struct gr_range *value)
{
    int count = 0;
    for (int i = begin; i + 2 < end; i++) {
        if (!gr_token_is(scan, i, name))
            continue;
        const bool plain = gr_token_is(scan, i + 1, "=") && !gr_token_is(scan, i + 2, "=") &&
                           (gr_token_is(scan, i - 1, ";") || gr_token_is(scan, i - 1, "{") ||
                            gr_token_is(scan, i - 1, ")") || gr_token_is(scan, i - 1, "else"));
        if (plain)
            *value = (struct gr_range){i + 2, statement_end(scan, i + 2, end) - 1};
        count += plain;
        if (!plain && gr_token_is(scan, i + 2, "=")) /* `name += x` */
            return false;
    }
    return count == 1;
}

/* The `if` whose statement ends at token `last`, an `else`; -1: there is none. */
static int if_before(const struct gr_scan *scan, int last, int first)
{
    for (int i = last - 1; i > first; i--) {
        if (!gr_token_is(scan, i, "if") || !gr_token_is(scan, i + 1, "("))
            continue;
        const int body = gr_token_close(scan, i + 1, last);
        if (body < last && statement_end(scan, body, last) == last)
            return i;
    }
    return -1;
}

bool gr_branches_find(const struct gr_scan *scan, const char *name, int at, struct gr_branches *b)
{
    const struct gr_function *f = gr_function_at(scan, at);
    for (int i = at - 1, depth = 0; f && i > f->body_begin; i--) {
        depth += gr_token_is(scan, i, "}");
        if (gr_token_is(scan, i, "{") && depth > 0)
            depth--;
        if (depth == 0 && gr_token_is(scan, i, name) && gr_token_is(scan, i + 1, "=") &&
            !gr_token_is(scan, i + 2, "=") && statement_end(scan, i, at) < at) {
            /* The statement of an `else` is found at its word. */
            if (!gr_token_is(scan, i - 1, "else"))
                return false;
        }
        if (depth > 0 || !gr_token_is(scan, i, "else") || gr_token_is(scan, i + 1, "if"))
            continue;
        const int end = statement_end(scan, i + 1, at), start = if_before(scan, i, f->body_begin);
        if (start < 0 || end > at || !assigned_in(scan, name, i + 1, end, &b->other))
            continue;
        const int close = gr_token_close(scan, start + 1, i);
        b->condition = (struct gr_range){start + 2, close - 1};
        return assigned_in(scan, name, close, i, &b->one);
    }
    return false;
}
