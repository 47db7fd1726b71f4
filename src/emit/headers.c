/* headers.c: joins a kernel's file and the headers of its project into one text.
 * SPDX-License-Identifier: MIT */
#include "emit/headers.h"

#include "base/file.h"
#include "catalog/given_constants.h"
#include "source/scan.h"
#include "emit/shims.h"
#include "emit/standins.h"

#include <ctype.h>
#include <gradus/gradus.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16, MOST_SEEN = 256, MOST_BYTES = 8 << 20 };

struct join {
    struct gr_project *project;
    char *seen[MOST_SEEN]; /* real paths of the headers that are included only once */
    int seen_count;
    const struct gr_kernel *kernel; /* whose `define` lines apply to headers, too */
    struct gr_str *out;
};

/* The name in `#include "name"` or `<name>` at token i, malloc'ed. */
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

/* Do we or the toolkit provide this header to the compilers? */
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

/* Compares the words of a directive: "pragma once" matches `# pragma once`. */
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

/* Does the header have an include guard: `#pragma once`, or `#ifndef NAME #define NAME` around
 * its content? */
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

/* Removes a byte order mark, after which, inside the joined text, a directive would be invalid. */
static bool drop_mark(char *text)
{
    gr_drop_byte_order_mark(text);
    return true;
}

/* The header's text with the numbers of the kernel's `define` lines, malloc'ed. */
static char *give_numbers(const struct join *j, const char *text)
{
    char *given = gr_given_in_header(text, j->kernel->source, j->kernel->extra);
    return given ? given : gr_strdup(text);
}

/* Inserts the header in place of its #include. False: it cannot be read. */
static bool write_header(struct join *j, const char *path, int depth)
{
    char *real = realpath(path, NULL), *text = NULL, *given = NULL;
    size_t length;
    struct gr_scan scan;
    struct gradus_error ignored = {0};
    bool seen = real && was_seen(j, real), written = seen;
    if (real && !seen && depth < MOST_DEPTH && j->out->length < MOST_BYTES &&
        gr_file_read(real, &text, &length, &ignored) == GRADUS_OK && strlen(text) == length &&
        drop_mark(text) && (given = give_numbers(j, text)) &&
        gr_scan_text(path, given, &scan, NULL) == GRADUS_OK) {
        if (is_read_once(&scan) && j->seen_count < MOST_SEEN)
            j->seen[j->seen_count++] = gr_strdup(real);
        write_line(j->out, 1, path);
        write_text(j, path, &scan, depth + 1);
        gr_scan_free(&scan);
        written = true;
    }
    gradus_error_clear(&ignored);
    free(given);
    free(text);
    free(real);
    return written;
}

/* Writes the replacement of the directive at token i; false if it is kept. */
static bool replace(struct join *j, const char *path, const struct gr_scan *scan, int i, int depth)
{
    bool quoted = false;
    char *name = name_at(scan, i, &quoted), *header = NULL;
    if (!name) {
        bool once = depth > 0 && is_directive(scan, i, "pragma", "once");
        return once; /* in the joined text `#pragma once` would only cause a warning */
    }
    if (quoted)
        header = gr_project_beside(path, name);
    bool given = !header && is_given(name), replaced = false;
    if (!header && !given)
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
        char *name = name_at(scan, i, &(bool){false});
        at += name && scan->text[at] == '\n'; /* the #line counts it */
        free(name);
    }
    gr_str_add(j->out, scan->text + at);
}

static void join_text(struct join *j, const char *path, const char *text)
{
    struct gr_scan scan;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK) {
        gr_str_add(j->out, text); /* the next reader reports what is wrong with it */
        return;
    }
    write_text(j, path, &scan, 0);
    gr_scan_free(&scan);
}

/* ---- Device functions that another file of the project defines ---- */

/* The name of a prototype `__device__ int f(int);` that begins at token i; -1: there is none.
 * *end is after its `;`. */
static int prototype_at(const struct gr_scan *scan, int i, int *end)
{
    int name = -1;
    bool device = false;
    for (; i < scan->token_count; i++) {
        device |= gr_token_is(scan, i, "__device__");
        if (gr_token_is(scan, i, "(") && name < 0) {
            name = i - 1;
            i = gr_token_close(scan, i, scan->token_count) - 1;
        } else if (gr_token_is(scan, i, ";")) {
            *end = i + 1;
            return device ? name : -1;
        } else if (scan->tokens[i].kind == GR_TOKEN_DIRECTIVE || gr_token_is(scan, i, "{") ||
                   gr_token_is(scan, i, "}") || gr_token_is(scan, i, "=")) {
            break;
        }
    }
    *end = i + 1;
    return -1;
}

static bool is_defined(const struct gr_scan *scan, const char *name)
{
    for (int i = 0; i < scan->function_count; i++)
        if (gr_token_is(scan, scan->functions[i].name, name))
            return true;
    return false;
}

/* Adds the function's definition from the first file of the project that has one. */
static void add_definition(struct join *j, const char *name)
{
    bool added = false;
    for (int i = 0; i < gr_project_list(j->project) && !added; i++) {
        char *text = NULL;
        size_t length;
        struct gr_scan scan;
        struct gradus_error ignored = {0};
        const char *path = j->project->paths[i];
        if (gr_file_read(path, &text, &length, &ignored) == GRADUS_OK &&
            strstr(text, "__device__") && strstr(text, name) &&
            gr_scan_text(path, text, &scan, NULL) == GRADUS_OK) {
            for (int f = 0; f < scan.function_count && !added; f++) {
                const struct gr_function *function = &scan.functions[f];
                if (!function->is_device || !gr_token_is(&scan, function->name, name))
                    continue;
                const struct gr_token *head = &scan.tokens[function->head];
                write_line(j->out, head->line, path);
                gr_str_add_bytes(j->out, text + head->begin,
                                 scan.tokens[function->body_end - 1].end - head->begin);
                added = true;
            }
            gr_scan_free(&scan);
        }
        gradus_error_clear(&ignored);
        free(text);
    }
}

static void add_definitions(struct join *j, const char *path)
{
    struct gr_scan scan;
    char *text = gr_strdup(gr_str_text(j->out));
    if (!text || !strstr(text, "__device__") ||
        gr_scan_text(path, text, &scan, NULL) != GRADUS_OK) {
        free(text);
        return;
    }
    for (int i = 0, end; i<scan.token_count; i = end> i ? end : i + 1) {
        int name = prototype_at(&scan, i, &end);
        char *word =
            name > 0 && scan.tokens[name].kind == GR_TOKEN_WORD && !gr_function_at(&scan, i)
                ? gr_token_text(&scan, name)
                : NULL;
        if (word && !is_defined(&scan, word))
            add_definition(j, word);
        free(word);
    }
    gr_scan_free(&scan);
    free(text);
}

void gr_headers_join(struct gr_project *project, const struct gr_kernel *kernel, struct gr_str *out)
{
    struct join j = {.project = project, .kernel = kernel, .out = out};
    if (kernel->before)
        join_text(&j, kernel->includer, kernel->before);
    gr_str_printf(out, "\n#line 1 \"%s\"\n", kernel->path);
    join_text(&j, kernel->path, kernel->source);
    add_definitions(&j, kernel->path);
    for (int i = 0; i < j.seen_count; i++)
        free(j.seen[i]);
}

void gr_headers_join_file(struct gr_project *project, const struct gr_kernel *kernel,
                          const char *path, const char *text, struct gr_str *out)
{
    struct join j = {.project = project, .kernel = kernel, .out = out};
    join_text(&j, path, text);
    for (int i = 0; i < j.seen_count; i++)
        free(j.seen[i]);
}
