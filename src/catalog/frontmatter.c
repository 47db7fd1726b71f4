/* frontmatter.c: finds the `//@` lines of a kernel file. SPDX-License-Identifier: MIT */
#include "catalog/frontmatter.h"

#include "core/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Iterates over the lines at the top of a file: comments, blank lines and preprocessor lines, up
 * to the first line of code. `//@` inside a block comment is text. */
struct lines {
    const char *begin, *end; /* the current line without its line end */
    int number;
    bool in_comment, in_directive;
};

static bool next_line(struct lines *l)
{
    const char *p = l->number ? l->end + (*l->end == '\n') : l->begin;
    if (!*p)
        return false;
    l->begin = p;
    l->end = p + strcspn(p, "\n");
    l->number++;
    return true;
}

static const char *after_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

static bool begins(const char *p, const char *end, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(end - p) >= length && memcmp(p, prefix, length) == 0;
}

/* Skips comments that end on this line; true if code follows. */
static bool is_code(struct lines *l)
{
    const char *p = l->begin;
    for (;;) {
        if (l->in_comment) {
            const char *close = memmem(p, (size_t)(l->end - p), "*/", 2);
            if (!close)
                return false;
            l->in_comment = false;
            p = close + 2;
        }
        p = after_blanks(p, l->end);
        if (p == l->end || begins(p, l->end, "//"))
            return false;
        if (!begins(p, l->end, "/*"))
            return *p != '#';
        l->in_comment = true;
        p += 2;
    }
}

/* Preprocessor lines and their continuations are neither front matter nor code. */
static bool is_directive(struct lines *l)
{
    const char *p = after_blanks(l->begin, l->end);
    bool directive = l->in_directive || (!l->in_comment && p < l->end && *p == '#');
    l->in_directive = directive && l->end > l->begin && l->end[-1] == '\\';
    return directive;
}

/* Sets the cursor after the line's `//@`; false if it has none. */
static bool front_matter_line(const struct lines *l, const struct gr_reader *r, struct gr_cursor *c)
{
    const char *p = after_blanks(l->begin, l->end);
    if (l->in_comment || !begins(p, l->end, "//@"))
        return false;
    *c = (struct gr_cursor){.path = r->kernel->path,
                            .p = p + 3,
                            .end = l->end,
                            .line_start = l->begin,
                            .line = l->number,
                            .error = r->error};
    return true;
}

/* A front-matter keyword after `//@` below the first line of code would have no effect, so it is
 * an error. Any other `//@` there belongs to another notation (such as Frama-C's) and is
 * ignored. */
static enum gradus_status refuse_late_lines(struct lines *l, const struct gr_reader *r)
{
    struct gr_cursor c;
    do {
        if (!front_matter_line(l, r, &c) || gr_cursor_ends(&c))
            continue;
        size_t length = 0;
        while (c.p + length < c.end && c.p[length] >= 'a' && c.p[length] <= 'z')
            length++;
        bool whole = c.p + length == c.end || c.p[length] == ' ' || c.p[length] == '\t';
        if (whole && gr_keyword_known(c.p, length))
            return gr_cursor_fail(&c, "`%.*s` is below the first line of code; move it to the top",
                                  (int)length, c.p);
    } while (next_line(l));
    return GRADUS_OK;
}

static enum gradus_status read_file_lines(struct gr_reader *r, const char **below)
{
    struct lines l = {.begin = r->kernel->source};
    struct gr_cursor c;
    *below = NULL;
    while (next_line(&l)) {
        if (front_matter_line(&l, r, &c)) {
            r->kernel->has_front_matter = true;
            enum gradus_status status = gr_keyword_read(r, &c);
            if (status != GRADUS_OK)
                return status;
            *below = l.end;
        } else if (!is_directive(&l) && is_code(&l)) {
            return refuse_late_lines(&l, r);
        }
    }
    return GRADUS_OK;
}

static enum gradus_status read_extra_lines(struct gr_reader *r, const char *extra)
{
    struct lines l = {.begin = extra};
    r->extra = true;
    r->seen = r->seen_stanza = 0;
    r->stanza = r->kernel->stanza_count == 1 ? 0 : -1;
    while (next_line(&l)) {
        struct gr_cursor c = {.path = r->kernel->path,
                              .p = l.begin,
                              .end = l.end,
                              .line_start = l.begin,
                              .error = r->error};
        if (gr_cursor_ends(&c))
            continue;
        c.option = gr_keyword_literal(c.p, strcspn(c.p, " \n"));
        enum gradus_status status = gr_keyword_read(r, &c);
        if (status != GRADUS_OK)
            return status;
    }
    return GRADUS_OK;
}

enum gradus_status gr_front_matter_read(struct gr_kernel *kernel, const char *extra,
                                        struct gradus_error *error)
{
    struct gr_reader r = {.kernel = kernel, .error = error};
    struct gr_stanza *first;
    GR_PUSH(first, kernel->stanzas, kernel->stanza_count);
    if (!first)
        return gr_fail_memory(error, "front matter", sizeof *first);
    kernel->trans[0] = true;
    const char *below;
    enum gradus_status status = read_file_lines(&r, &below);
    if (status == GRADUS_OK && below)
        kernel->picture = gr_picture_read(below);
    if (status == GRADUS_OK && extra)
        status = read_extra_lines(&r, extra);
    return status;
}

enum gradus_status gr_stanza_open(struct gr_reader *r, const struct gr_cursor *at,
                                  struct gr_text *name, bool once)
{
    struct gr_kernel *k = r->kernel;
    struct gr_stanza *stanza = &k->stanzas[0];
    if (r->extra) {
        int i = k->stanza_count == 1 ? 0 : -1;
        for (int s = 0; s < k->stanza_count; s++)
            if (k->stanzas[s].kernel.text && strcmp(k->stanzas[s].kernel.text, name->text) == 0)
                i = s;
        if (i < 0)
            return gr_cursor_fail(at, "no stanza `kernel %s` among the file's several", name->text);
        stanza = &k->stanzas[i];
    } else if (r->stanza_named) {
        if (k->stanza_count == GR_MAX_STANZAS)
            return gr_cursor_fail(at, "more than %d `kernel` lines", GR_MAX_STANZAS);
        GR_PUSH(stanza, k->stanzas, k->stanza_count);
        if (!stanza)
            return gr_fail_memory(r->error, "front matter", sizeof *stanza);
    } else if (r->seen_stanza) {
        return gr_cursor_fail(
            at, "lines about the launch are above the first `kernel` line, wanted below it");
    }
    free(stanza->kernel.text);
    stanza->kernel = *name;
    *name = (struct gr_text){0};
    stanza->once = once;
    r->stanza = (int)(stanza - k->stanzas);
    r->stanza_named = true;
    r->seen_stanza = 0;
    return GRADUS_OK;
}
