/* header_texts.c: reads the headers that a file includes with quotes.
 * SPDX-License-Identifier: MIT */
#include "catalog/header_texts.h"

#include "base/file.h"
#include "source/project.h"
#include "source/scan.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HEADERS = 64, MOST_DEPTH = 12 };

struct reading {
    struct gr_project project;
    char *seen[MOST_HEADERS]; /* paths with links resolved */
    int count;
    struct gr_str *out;
};

/* The name in `#include "name"`, malloc'ed; null: the token is something else. */
static char *quoted_name(const struct gr_scan *scan, int i)
{
    if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        return NULL;
    const char *p = scan->text + scan->tokens[i].begin + 1;
    p += strspn(p, " \t");
    if (!gr_starts_with(p, "include"))
        return NULL;
    p += strlen("include");
    p += strspn(p, " \t");
    return *p == '"' ? gr_strndup(p + 1, strcspn(p + 1, "\"\n")) : NULL;
}

/* Has the header been read? If not, it is noted, and `path` belongs to the list. */
static bool is_seen(struct reading *r, char *path)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->seen[i], path) == 0)
            return true;
    if (r->count == MOST_HEADERS)
        return true;
    r->seen[r->count++] = path;
    return false;
}

static void visit(struct reading *r, const char *path, const char *text, bool is_header, int depth)
{
    struct gr_scan scan;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return;
    for (int i = 0; i < scan.token_count && depth < MOST_DEPTH; i++) {
        char *name = quoted_name(&scan, i), *header = NULL, *inner = NULL;
        size_t length;
        struct gradus_error ignored = {0};
        if (name && !(header = gr_project_beside(path, name)))
            header = gr_project_header(&r->project, path, name);
        char *real = header ? realpath(header, NULL) : NULL;
        if (real && !is_seen(r, real)) {
            if (gr_file_read(real, &inner, &length, &ignored) == GRADUS_OK) {
                gr_drop_byte_order_mark(inner);
                visit(r, header, inner, true, depth + 1);
            }
        } else {
            free(real);
        }
        gradus_error_clear(&ignored);
        free(inner);
        free(header);
        free(name);
    }
    gr_scan_free(&scan);
    if (is_header)
        gr_str_printf(r->out, "%s\n", text);
}

void gr_header_texts(const char *path, const char *text, struct gr_str *out)
{
    struct reading r = {.project = gr_project_of(path), .out = out};
    char *own = realpath(path, NULL);
    if (own && is_seen(&r, own))
        free(own);
    visit(&r, path, text, false, 0);
    while (r.count > 0)
        free(r.seen[--r.count]);
    gr_project_free(&r.project);
}
