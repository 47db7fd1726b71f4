/* headers.c: a kernel's file and the headers of its project as one text. SPDX-License-Identifier: MIT */
#include "catalog/headers.h"

#include "base/file.h"
#include "catalog/scan.h"
#include "catalog/shims.h"
#include "catalog/standins.h"

#include <ctype.h>
#include <gradus/gradus.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16, MOST_SEEN = 256, MOST_BYTES = 8 << 20 };

struct join {
    const struct gr_project *project;
    char *seen[MOST_SEEN]; /* real paths of headers that are read once */
    int seen_count;
    struct gr_str *out;
};

/* `#include "name"` or `<name>` at token i: the name, malloc'ed. */
static char *name_at(const struct gr_scan *scan, int i, bool *quoted)
{
    const char *p = scan->text + scan->tokens[i].begin + 1;
    if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        return NULL;
    p += strspn(p, " \t");
    if (!gr_starts_with(p, "include"))
        return NULL;
    p += strlen("include");
    p += strspn(p, " \t");
    *quoted = *p == '"';
    if (*p != '"' && *p != '<')
        return NULL;
    return gr_strndup(p + 1, strcspn(p + 1, *quoted ? "\"\n" : ">\n"));
}

/* Is it one that the compilers are given, by us or by the toolkit? */
static bool is_given(const char *name)
{
    struct gr_shim shim;
    for (int i = 0; gr_shim_at(i, &shim); i++)
        if (strcmp(shim.name, name) == 0)
            return true;
    for (int i = 0; gr_standin_at(i); i++)
        if (strcmp(gr_standin_at(i)->name, name) == 0)
            return true;
    return false;
}

/* The directive's words: "pragma once" for `#  pragma  once`. */
static bool is_directive(const struct gr_scan *scan, int i, const char *first, const char *second)
{
    const char *p = scan->text + scan->tokens[i].begin + 1;
    if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        return false;
    p += strspn(p, " \t");
    if (!gr_starts_with(p, first))
        return false;
    p += strlen(first);
    p += strspn(p, " \t");
    return gr_starts_with(p, second);
}

/* Does the header say that it is to be read once: `#pragma once`, or all of it in `#ifndef NAME #define NAME`? */
static bool is_read_once(const struct gr_scan *scan)
{
    for (int i = 0; i < scan->token_count; i++)
        if (is_directive(scan, i, "pragma", "once"))
            return true;
    if (scan->token_count < 3 || !is_directive(scan, 0, "ifndef", ""))
        return false;
    const char *name = scan->text + scan->tokens[0].begin + 1;
    name += strspn(name, " \t") + strlen("ifndef");
    name += strspn(name, " \t");
    size_t length = strcspn(name, " \t\r\n/");
    char *guard = gr_strndup(name, length);
    bool once = guard && is_directive(scan, 1, "define", guard);
    free(guard);
    return once;
}

static bool was_seen(const struct join *j, const char *real)
{
    for (int i = 0; i < j->seen_count; i++)
        if (strcmp(j->seen[i], real) == 0)
            return true;
    return false;
}

static void write_line(struct gr_str *out, int line, const char *path)
{
    gr_str_printf(out, "\n#line %d \"%s\"\n", line, path);
}

static void write_text(struct join *j, const char *path, const struct gr_scan *scan, int depth);

/* The header in the place of its #include. False: it cannot be read. */
static bool write_header(struct join *j, const char *path, int depth)
{
    char *real = realpath(path, NULL), *text = NULL;
    size_t length;
    struct gr_scan scan;
    struct gradus_error ignored = {0};
    bool seen = real && was_seen(j, real), written = seen;
    if (real && !seen && depth < MOST_DEPTH && j->out->length < MOST_BYTES &&
        gr_file_read(real, &text, &length, &ignored) == GRADUS_OK && strlen(text) == length &&
        gr_scan_text(path, text, &scan, NULL) == GRADUS_OK) {
        if (is_read_once(&scan) && j->seen_count < MOST_SEEN)
            j->seen[j->seen_count++] = gr_strdup(real);
        write_line(j->out, 1, path);
        write_text(j, path, &scan, depth + 1);
        gr_scan_free(&scan);
        written = true;
    }
    gradus_error_clear(&ignored);
    free(text);
    free(real);
    return written;
}

/* What stands in the place of the directive at token i; false where it stays as it is. */
static bool replace(struct join *j, const char *path, const struct gr_scan *scan, int i, int depth)
{
    bool quoted = false;
    char *name = name_at(scan, i, &quoted), *header = NULL;
    if (!name) {
        bool once = depth > 0 && is_directive(scan, i, "pragma", "once");
        return once; /* said of the whole text it would be a warning, and no more */
    }
    bool given = is_given(name), replaced = false;
    if (!given)
        header = gr_project_header(j->project, path, name);
    if (header)
        replaced = write_header(j, header, depth);
    int next = scan->tokens[i].line + 1;
    if (!header && !given) {
        char open = quoted ? '"' : '<', close = quoted ? '"' : '>';
        gr_str_printf(j->out, "\n#if __has_include(%c%s%c)", open, name, close);
        gr_str_printf(j->out, "\n#include %c%s%c\n#endif", open, name, close);
        replaced = true;
    }
    if (replaced)
        write_line(j->out, next, path);
    free(header);
    free(name);
    return replaced;
}

static void write_text(struct join *j, const char *path, const struct gr_scan *scan, int depth)
{
    size_t at = 0;
    for (int i = 0; i < scan->token_count; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (t->kind != GR_TOKEN_DIRECTIVE)
            continue;
        gr_str_add_bytes(j->out, scan->text + at, t->begin - at);
        at = t->begin;
        if (!replace(j, path, scan, i, depth))
            continue;
        at = t->end;
        if (name_at(scan, i, &(bool){false}) == NULL)
            continue;
        at += scan->text[at] == '\n'; /* counted by the #line */
    }
    gr_str_add(j->out, scan->text + at);
}

static void join_text(struct join *j, const char *path, const char *text)
{
    struct gr_scan scan;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK) {
        gr_str_add(j->out, text); /* what is wrong with it is told by who reads it next */
        return;
    }
    write_text(j, path, &scan, 0);
    gr_scan_free(&scan);
}

void gr_headers_join(const struct gr_project *project, const struct gr_kernel *kernel,
                     struct gr_str *out)
{
    struct join j = {.project = project, .out = out};
    if (kernel->before)
        join_text(&j, kernel->includer, kernel->before);
    gr_str_printf(out, "\n#line 1 \"%s\"\n", kernel->path);
    join_text(&j, kernel->path, kernel->source);
    for (int i = 0; i < j.seen_count; i++)
        free(j.seen[i]);
}

void gr_headers_join_file(const struct gr_project *project, const char *path, const char *text,
                          struct gr_str *out)
{
    struct join j = {.project = project, .out = out};
    join_text(&j, path, text);
    for (int i = 0; i < j.seen_count; i++)
        free(j.seen[i]);
}
