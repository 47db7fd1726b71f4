/* program_source.c: prepares a kernel file for export. SPDX-License-Identifier: MIT */
#include "emit/program_source.h"

#include "core/error.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "emit/hostheaders.h"
#include "source/cut.h"

#include <stdlib.h>
#include <string.h>

/* The header's text, malloc'ed; null if it is not beside the kernel, so that the compiler has to
 * find it. */
static char *header_next_to(const struct gr_kernel *k, const char *name)
{
    size_t folder = *name == '/' ? 0 : (size_t)(gr_path_base(k->path) - k->path), length;
    char *path = gr_printf("%.*s%s", (int)folder, k->path, name), *text = NULL;
    struct gradus_error unknown = {0};
    const struct gr_embedded *e = k->built_in && path ? gr_embedded_find(path) : NULL;
    if (e)
        text = gr_strdup(e->text);
    else if (path && gr_file_read(path, &text, &length, &unknown) != GRADUS_OK)
        text = NULL;
    gradus_error_clear(&unknown);
    free(path);
    return text;
}

/* The name in `#include "name"`, malloc'ed; null for other lines. */
static char *included(const char *line)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (!gr_starts_with(line, "include"))
        return NULL;
    line += strlen("include");
    line += strspn(line, " \t");
    return *line == '"' ? gr_strndup(line + 1, strcspn(line + 1, "\"\n")) : NULL;
}

/* Does it include a library for host code, such as <torch/extension.h>? That code has been
 * removed. */
static bool includes_host_library(const char *line)
{
    static const char *const names[] = {
#define ROW(name) name,
        GR_HOST_HEADERS(ROW)
#undef ROW
    };
    const char *open = line + strspn(line, " \t");
    if (!gr_starts_with(open, "#include"))
        return false;
    open += strcspn(open, "<\"\n");
    for (size_t i = 0; *open && i < sizeof names / sizeof *names; i++)
        if (gr_starts_with(open + 1, names[i]) && strchr(">\"", open[1 + strlen(names[i])]))
            return true;
    return false;
}

/* `done`: the headers that were written, each between bars. */
static void write_lines(const struct gr_kernel *k, const char *text, struct gr_str *done,
                        struct gr_str *out)
{
    bool empty_before = false;
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, "\n");
        size_t shown = length;
        while (shown && strchr(" \t\r", p[shown - 1]))
            shown--;
        char *name = included(p), *header = name ? header_next_to(k, name) : NULL;
        char *mark = header ? gr_printf("|%s|", name) : NULL;
        if (mark && !strstr(gr_str_text(done), mark)) {
            gr_str_add(done, mark);
            write_lines(k, header, done, out);
        } else if (!mark && !gr_starts_with(p, "#pragma once") && !gr_starts_with(p, "#line ") &&
                   !includes_host_library(p) && !(shown == 0 && empty_before)) {
            gr_str_add_bytes(out, p, shown);
            gr_str_add(out, "\n");
        }
        empty_before = shown == 0;
        free(name);
        free(header);
        free(mark);
        p += length + (p[length] == '\n');
    }
}

/* Device code may use CEIL_DIV from a host header that is missing; see gr_standin_prologue. */
static void write_ceil_div(const struct gr_kernel *k, struct gr_str *out)
{
    if (strstr(k->source, "CEIL_DIV(") && !strstr(k->source, "define CEIL_DIV("))
        gr_str_add(out, "#ifndef CEIL_DIV\n#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))\n#endif\n");
}

enum gradus_status gr_program_source_write(const struct gr_kernel *k, struct gr_str *out,
                                           struct gradus_error *error)
{
    struct gr_str text = {0}, done = {0};
    enum gradus_status status =
        gr_source_cut(k->path, k->source, k->language, k, &text, NULL, error);
    if (status == GRADUS_OK)
        write_ceil_div(k, out);
    if (status == GRADUS_OK && k->before)
        write_lines(k, k->before, &done, out);
    if (status == GRADUS_OK)
        write_lines(k, gr_str_text(&text), &done, out);
    gr_str_free(&text);
    gr_str_free(&done);
    return status;
}
