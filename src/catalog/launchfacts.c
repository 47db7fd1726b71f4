/* launchfacts.c: reads the keywords of a stanza: kernel, grid, block, cluster, smem, when, args.
 * SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static struct gr_stanza *open_stanza(struct gr_reader *r)
{
    return &r->kernel->stanzas[r->stanza];
}

/* The end of NAME<…>, or of NAME. */
static const char *end_of_name(const struct gr_cursor *c, const char *p)
{
    int depth = 0;
    if (p == c->end || *p != '<')
        return p;
    for (; p < c->end; p++) {
        depth += (*p == '<') - (*p == '>');
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* Reads `::` and the word after it repeatedly: space::inner::gemm. */
static enum gradus_status take_spaces(struct gr_cursor *c)
{
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && c->p + 1 < c->end && c->p[0] == ':' && c->p[1] == ':') {
        struct gr_text part = {0};
        c->p += 2;
        status = gr_cursor_name(c, "a name behind `::`", &part);
        free(part.text);
    }
    return status;
}

/* Reads "kernel space::gemm<BM,BN,BK> once". */
enum gradus_status gr_read_kernel(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    const struct gr_cursor at = *c;
    struct gr_text name = {0}, word = {0};
    bool outermost = !gr_cursor_ends(c) && *c->p == ':';
    enum gradus_status status = outermost ? GRADUS_OK : gr_cursor_name(c, "a kernel's name", &name);
    if (status == GRADUS_OK)
        status = take_spaces(c);
    const char *end = status == GRADUS_OK ? end_of_name(c, c->p) : NULL;
    if (status == GRADUS_OK && !end)
        status = gr_cursor_fail(c, "found the end of the line, wanted '>'");
    bool once = false;
    if (status == GRADUS_OK) {
        struct gr_cursor whole = at;
        whole.end = c->p = end;
        status = gr_cursor_rest(&whole, "a kernel's name", &name);
    }
    if (status == GRADUS_OK && !gr_cursor_ends(c)) {
        const struct gr_cursor once_at = *c;
        status = gr_cursor_name(c, "`once` or the end of the line", &word);
        once = status == GRADUS_OK && strcmp(word.text, "once") == 0;
        if (status == GRADUS_OK && !once)
            status = gr_cursor_fail(&once_at, "found '%s', wanted `once` or the end of the line",
                                    word.text);
        else if (status == GRADUS_OK)
            status = gr_cursor_done(c, "once");
    }
    if (status == GRADUS_OK)
        status = gr_stanza_open(r, &at, &name, once);
    free(name.text);
    free(word.text);
    return status;
}

enum gradus_status gr_read_grid(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return gr_reader_expressions(r, c, 3, &open_stanza(r)->grid);
}

enum gradus_status gr_read_block(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return gr_reader_expressions(r, c, 3, &open_stanza(r)->block);
}

enum gradus_status gr_read_cluster(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return gr_reader_expressions(r, c, 3, &open_stanza(r)->cluster);
}

enum gradus_status gr_read_smem(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)r;
    (void)first;
    return gr_cursor_rest(c, "an expression", &open_stanza(r)->smem);
}

enum gradus_status gr_read_when(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)r;
    (void)first;
    return gr_cursor_rest(c, "an expression", &open_stanza(r)->when);
}

enum gradus_status gr_read_args(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return gr_reader_expressions(r, c, 64, &open_stanza(r)->args);
}
