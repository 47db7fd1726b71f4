/* launch_bounds.c: finds a kernel's __launch_bounds__, and repeats its arguments in the body.
 * SPDX-License-Identifier: MIT
 */
#include "sim/launch_bounds.h"

#include "core/error.h"
#include "source/scan.h"

#include <string.h>

static const char word[] = "__launch_bounds__";

/* The "(256, 2)" that follows token i; length 0: none. */
static const char *words_behind(const struct gr_scan *scan, int i, size_t *length)
{
    *length = 0;
    if (!gr_token_is(scan, i + 1, "("))
        return NULL;
    int end = gr_token_close(scan, i + 1, scan->token_count);
    const char *begin = scan->text + scan->tokens[i + 1].begin;
    *length = (size_t)(scan->text + scan->tokens[end - 1].end - begin);
    return begin;
}

/* The same in the body of the macro that token i names: `#define BOUNDS __launch_bounds__(256)`. */
static const char *words_of_macro(const struct gr_scan *scan, int i, size_t *length)
{
    const struct gr_token *name = &scan->tokens[i];
    size_t name_length = name->end - name->begin;
    *length = 0;
    for (int d = 0; d < i && name->kind == GR_TOKEN_WORD; d++) {
        const struct gr_token *t = &scan->tokens[d];
        const char *p = scan->text + t->begin, *end = scan->text + t->end;
        if (t->kind != GR_TOKEN_DIRECTIVE)
            continue;
        p += 1 + strspn(p + 1, " \t");
        if (strncmp(p, "define", 6) != 0)
            continue;
        p += 6 + strspn(p + 6, " \t");
        const char *after = p + name_length;
        if (strncmp(p, scan->text + name->begin, name_length) != 0 || !strchr(" \t", *after))
            continue;
        const char *found = memmem(after, (size_t)(end - after), word, strlen(word));
        const char *open = found ? found + strlen(word) + strspn(found + strlen(word), " \t") : end;
        int depth = 0;
        for (const char *c = open; c < end && *open == '('; c++) {
            depth += (*c == '(') - (*c == ')');
            if (depth == 0) {
                *length = (size_t)(c + 1 - open);
                return open;
            }
        }
    }
    return NULL;
}

/* Finds the arguments in the tokens from `from` to `to`. */
static const char *find_words(const struct gr_scan *scan, int from, int to, size_t *length)
{
    const char *found = NULL;
    for (int i = from; i < to && !found; i++)
        found = gr_token_is(scan, i, word) ? words_behind(scan, i, length)
                                           : words_of_macro(scan, i, length);
    return found;
}

/* Finds the arguments in a declaration before the function's definition: `__global__ void
 * __launch_bounds__(256) gemm(…);`. Templates are left out, since a declaration may give their
 * parameters other names. */
static const char *find_declared(const struct gr_scan *scan, const struct gr_function *f,
                                 size_t *length)
{
    const char *found = NULL;
    for (int i = 0; i < f->head && !f->is_template && !found; i++) {
        if (!gr_token_is(scan, i, "__global__") || gr_function_at(scan, i))
            continue;
        int end = i;
        while (end < f->head && !gr_token_is(scan, end, ";") && !gr_token_is(scan, end, "{"))
            end++;
        bool same = false;
        for (int j = i; j < end; j++)
            same |= gr_tokens_same(scan, j, f->name) && gr_token_is(scan, j + 1, "(");
        if (same && gr_token_is(scan, end, ";"))
            found = find_words(scan, i, end, length);
    }
    return found;
}

void gr_launch_bounds_mark(const char *text, struct gr_str *out)
{
    struct gr_scan scan;
    struct gradus_error ignored = {0};
    size_t done = 0;
    if (gr_scan_text("", text, &scan, &ignored) != GRADUS_OK) {
        gradus_error_clear(&ignored);
        gr_str_add(out, text);
        return;
    }
    for (int i = 0; i < scan.function_count; i++) {
        const struct gr_function *f = &scan.functions[i];
        size_t body = scan.tokens[f->body_begin].end;
        size_t length = 0;
        const char *words =
            f->is_global ? find_words(&scan, f->head, f->body_begin, &length) : NULL;
        if (!words && f->is_global)
            words = find_declared(&scan, f, &length);
        if (!words)
            continue;
        gr_str_add_bytes(out, text + done, body - done);
        gr_str_printf(out, " gr_launch_bounds%.*s;", (int)length, words);
        done = body;
    }
    gr_str_add(out, text + done);
    gr_scan_free(&scan);
}
