/* rewriting.c: pieces of a source text, replaced. SPDX-License-Identifier: MIT */
#include "catalog/rewriting.h"

#include "base/str.h"

#include <stdlib.h>

void gr_rewriting_replace(struct gr_rewriting *r, size_t begin, size_t end, char *text)
{
    if (!text || r->edit_count == GR_MOST_EDITS) {
        free(text);
        r->failed = true;
        return;
    }
    r->edits[r->edit_count++] = (struct gr_edit){begin, end, text};
}

/* Replaces tokens by blanks; the text after them stays on its lines. */
void gr_rewriting_blank(struct gr_rewriting *r, struct gr_range tokens)
{
    const size_t begin = r->scan.tokens[tokens.begin].begin,
                 end = r->scan.tokens[tokens.end - 1].end;
    char *text = gr_strndup(r->scan.text + begin, end - begin);
    for (char *p = text; p && *p; p++)
        if (*p != '\n')
            *p = ' ';
    gr_rewriting_replace(r, begin, end, text);
}

/* The tokens with a blank between any two, so that `"C" __global__` remains two tokens. */
void gr_rewriting_add_tokens(const struct gr_scan *scan, struct gr_range tokens, struct gr_str *out)
{
    for (int i = tokens.begin; i < tokens.end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (t->kind != GR_TOKEN_DIRECTIVE)
            gr_str_printf(out, "%.*s ", (int)(t->end - t->begin), scan->text + t->begin);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct gr_edit *a = x, *b = y;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin)
                                : (a->end > b->end) - (a->end < b->end);
}

/* Null: nothing was changed, or out of memory. */
char *gr_rewriting_text(struct gr_rewriting *r)
{
    struct gr_str out = {0};
    size_t at = r->base;
    if (r->failed || !r->edit_count)
        return NULL;
    qsort(r->edits, (size_t)r->edit_count, sizeof *r->edits, by_place);
    for (int i = 0; i < r->edit_count; i++) {
        const struct gr_edit *e = &r->edits[i];
        if (e->begin < at) /* a declaration that two kernels use, or of a header */
            continue;
        gr_str_add_bytes(&out, r->scan.text + at, e->begin - at);
        gr_str_add(&out, e->text);
        at = e->end;
    }
    gr_str_add(&out, r->scan.text + at);
    if (!out.failed)
        return out.text;
    gr_str_free(&out);
    return NULL;
}

/* The end of a parameter: the comma after it, outside all brackets, including those of template
 * arguments. */
int gr_rewriting_parameter_end(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ","))
        i = gr_token_is(scan, i, "<") ? gr_token_close_angle(scan, i, end)
            : gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{") ? gr_token_close(scan, i, end)
                                                                     : i + 1;
    return i;
}

void gr_rewriting_close(struct gr_rewriting *r)
{
    for (int i = 0; i < r->edit_count; i++)
        free(r->edits[i].text);
    gr_structures_free(&r->structures);
    gr_scan_free(&r->scan);
}
