/* included.c: finds kernels in the files that a kernel file includes.
 * SPDX-License-Identifier: MIT */
#include "catalog/included.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/chosen.h"
#include "catalog/header_texts.h"
#include "catalog/plain_parameters.h"
#include "source/scan.h"
#include "source/cut.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 256, MAX_DEPTH = 16 };

/* A file, and where another file includes it. */
struct source {
    char *path, *real, *text;
    int parent;      /* -1: it is the given file */
    size_t included; /* the offset of its `#include` in the parent */
    bool has_kernel, is_meant;
};

struct search {
    const struct gr_kernel *kernel;
    struct source files[MAX_FILES];
    int count;
};

/* The name in a directive `#include "name"`, malloc'ed; null for other directives. */
static char *included_name(const struct gr_scan *scan, int i)
{
    const char *p = scan->text + scan->tokens[i].begin + 1;
    p += strspn(p, " \t");
    if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE || !gr_starts_with(p, "include"))
        return NULL;
    p += strlen("include");
    p += strspn(p, " \t");
    return *p == '"' ? gr_strndup(p + 1, strcspn(p + 1, "\"\n")) : NULL;
}

static char *path_next_to(const char *path, const char *name)
{
    if (*name == '/')
        return gr_strdup(name);
    return gr_printf("%.*s%s", (int)(gr_path_base(path) - path), path, name);
}

static int find_real(const struct search *s, const char *real)
{
    for (int i = 0; i < s->count; i++)
        if (s->files[i].real && strcmp(s->files[i].real, real) == 0)
            return i;
    return -1;
}

static void visit(struct search *s, int at, int depth);

/* Adds the header at `path` if it can be read and has not been added yet. */
static void take_header(struct search *s, char *path, int parent, size_t offset, int depth)
{
    char *real = path ? realpath(path, NULL) : NULL, *text = NULL;
    size_t length;
    struct gradus_error ignored = {0};
    bool take = real && find_real(s, real) < 0 && s->count < MAX_FILES &&
                gr_file_read(path, &text, &length, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    if (take)
        gr_drop_byte_order_mark(text);
    if (!take) {
        free(path);
        free(real);
        return;
    }
    s->files[s->count++] = (struct source){
        .path = path, .real = real, .text = text, .parent = parent, .included = offset};
    visit(s, s->count - 1, depth + 1);
}

/* Checks whether the file contains a kernel, or the requested one, and adds the files that it
 * includes. */
static void visit(struct search *s, int at, int depth)
{
    struct gr_scan scan;
    const char *path = s->files[at].path;
    if (gr_scan_text(path, s->files[at].text, &scan, NULL) != GRADUS_OK)
        return;
    for (int i = 0; i < scan.function_count; i++)
        s->files[at].has_kernel |= scan.functions[i].is_global;
    s->files[at].is_meant =
        s->files[at].has_kernel && gr_kernel_is_there(s->kernel, &s->kernel->stanzas[0], &scan);
    for (int i = 0; i < scan.token_count && depth < MAX_DEPTH; i++) {
        char *name = included_name(&scan, i);
        if (name)
            take_header(s, path_next_to(path, name), at, scan.tokens[i].begin, depth);
        free(name);
    }
    gr_scan_free(&scan);
}

/* ---- The text before the kernel's file ---- */

/* Closes the conditional directives that are still open at the end of the text. */
static void close_conditions(const char *path, const char *text, struct gr_str *out)
{
    struct gr_scan scan;
    int open = 0;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return;
    for (int i = 0; i < scan.token_count; i++) {
        const char *p = text + scan.tokens[i].begin + 1;
        if (scan.tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        p += strspn(p, " \t");
        open += gr_starts_with(p, "if");
        open -= gr_starts_with(p, "endif");
    }
    gr_scan_free(&scan);
    for (; open > 0; open--)
        gr_str_add(out, "#endif\n");
}

/* Writes the #include lines with absolute paths, because the text is compiled in another folder.
 * Headers with other kernels are included too, since they may define what this one needs; what
 * it does not need is removed later. */
static void write_headers(const struct search *s, int meant, const char *path, const char *part,
                          struct gr_str *out)
{
    struct gr_scan scan;
    size_t at = 0;
    if (gr_scan_text(path, part, &scan, NULL) != GRADUS_OK)
        return;
    for (int i = 0; i < scan.token_count; i++) {
        char *name = included_name(&scan, i), *header = name ? path_next_to(path, name) : NULL;
        char *real = header ? realpath(header, NULL) : NULL;
        int file = real ? find_real(s, real) : -1;
        if (real) {
            gr_str_add_bytes(out, part + at, scan.tokens[i].begin - at);
            at = scan.tokens[i].end;
        }
        if (real && file != meant)
            gr_str_printf(out, "#include \"%s\"", real);
        free(name);
        free(header);
        free(real);
    }
    gr_str_add(out, part + at);
    gr_scan_free(&scan);
}

static bool braces_pair(const char *path, const char *text)
{
    struct gr_scan scan;
    int depth = 0;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return false;
    for (int i = 0; i < scan.token_count; i++)
        depth += gr_token_is(&scan, i, "{") - gr_token_is(&scan, i, "}");
    gr_scan_free(&scan);
    return depth == 0;
}

/* Writes the text of the including files before the #include that leads to file i: macros,
 * types, device functions. */
static void write_before(const struct search *s, int i, struct gr_str *out)
{
    const struct source *file = &s->files[i];
    if (file->parent < 0)
        return;
    const struct source *parent = &s->files[file->parent];
    write_before(s, file->parent, out);
    char *part = gr_strndup(parent->text, file->included);
    struct gr_str headers = {0}, cut = {0};
    if (part && braces_pair(parent->path, part))
        write_headers(s, i, parent->path, part, &headers);
    if (headers.length && gr_source_cut(parent->path, headers.text, GR_LANGUAGE_CUDA, s->kernel,
                                        &cut, NULL, NULL) == GRADUS_OK) {
        gr_str_printf(out, "#line 1 \"%s\"\n%s\n", parent->path, gr_str_text(&cut));
        close_conditions(parent->path, part, out);
    }
    free(part);
    gr_str_free(&headers);
    gr_str_free(&cut);
}

/* ---- The file with the kernel ---- */

static enum gradus_status fail_several(const struct search *s, struct gradus_error *error)
{
    struct gr_str names = {0};
    int count = 0;
    for (int i = 0; i < s->count; i++)
        if (s->files[i].is_meant)
            count += gr_kernel_names(s->kernel, s->files[i].text, &names);
    const struct gr_text *wanted = &s->kernel->stanzas[0].kernel;
    enum gradus_status status =
        gr_fail(error, GRADUS_INVALID,
                "%s: %d functions in the files that it includes may be the kernel (%.300s); choose "
                "one with --kernel NAME%s",
                s->kernel->path, count, gr_str_text(&names),
                wanted->text ? ", or give the file that holds it" : "");
    gr_str_free(&names);
    return status;
}

/* Collects names for the message that there is no such kernel; none if the file has kernels of
 * its own. */
static void note_kernels(const struct search *s, struct gr_kernel *k)
{
    struct gr_str names = {0};
    struct gr_kernel any = {.path = k->path, .language = k->language, .stanzas = NULL};
    struct gr_stanza unnamed = {.once = false};
    any.stanzas = &unnamed;
    for (int i = 1; i < s->count && !s->files[0].has_kernel; i++)
        gr_kernel_names(&any, s->files[i].text, &names);
    k->included_kernels = names.text;
}

/* Appends what the including files have before the #include that leads to file i: the headers that
 * they include themselves, in full. */
static void write_known(const struct search *s, int i, struct gr_str *out)
{
    const struct source *file = &s->files[i];
    if (file->parent < 0)
        return;
    write_known(s, file->parent, out);
    char *part = gr_strndup(s->files[file->parent].text, file->included);
    if (part)
        gr_header_texts(s->files[file->parent].path, part, out);
    free(part);
}

static enum gradus_status enter(struct search *s, int i, struct gr_kernel *k,
                                struct gradus_error *error)
{
    struct gr_str before = {0};
    write_before(s, i, &before);
    gr_str_add(&before, "");
    if (before.failed)
        return gr_fail_memory(error, s->files[i].path, before.length);
    struct gr_plain_notes notes = {0};
    struct gr_str known = {0};
    write_known(s, i, &known);
    gr_str_add(&known, before.text);
    char *plain =
        gr_plain_parameters(s->files[i].path, gr_str_text(&known), s->files[i].text, &notes);
    gr_str_free(&known);
    gr_plain_notes_take(&notes, k);
    k->before = before.text;
    k->includer = k->path;
    k->includer_source = k->source;
    k->path = s->files[i].path;
    k->source = plain ? plain : s->files[i].text;
    s->files[i].path = NULL;
    s->files[i].text = plain ? s->files[i].text : NULL;
    return GRADUS_OK;
}

static bool is_in_file(const struct gr_kernel *k)
{
    struct gr_scan scan;
    if (gr_scan_text(k->path, k->source, &scan, NULL) != GRADUS_OK)
        return true; /* the next reader reports what is wrong with it */
    bool there = gr_kernel_is_there(k, &k->stanzas[0], &scan);
    gr_scan_free(&scan);
    return there;
}

/* The files that the kernel's file includes; null: no memory. */
static struct search *search_files(const struct gr_kernel *k, struct gradus_error *error)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s) {
        gr_fail_memory(error, k->path, sizeof *s);
        return NULL;
    }
    s->kernel = k;
    s->count = 1;
    s->files[0] = (struct source){.path = gr_strdup(k->path),
                                  .real = realpath(k->path, NULL),
                                  .text = gr_strdup(k->source),
                                  .parent = -1};
    if (s->files[0].path && s->files[0].text)
        visit(s, 0, 0);
    return s;
}

static void free_search(struct search *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->files[i].path);
        free(s->files[i].real);
        free(s->files[i].text);
    }
    free(s);
}

enum gradus_status gr_included_enter(struct gr_kernel *k, struct gradus_error *error)
{
    if (k->language != GR_LANGUAGE_CUDA || k->stanza_count != 1 || is_in_file(k))
        return GRADUS_OK;
    struct search *s = search_files(k, error);
    if (!s)
        return GRADUS_NO_MEMORY;
    int meant = 0, which = 0;
    for (int i = 1; i < s->count; i++)
        if (s->files[i].is_meant)
            which = i, meant++;
    if (meant == 0)
        note_kernels(s, k);
    enum gradus_status status = meant > 1    ? fail_several(s, error)
                                : meant == 1 ? enter(s, which, k, error)
                                             : GRADUS_OK;
    free_search(s);
    return status;
}

enum gradus_status gr_included_each(const struct gr_kernel *k,
                                    void (*take)(void *context, const char *path, const char *text),
                                    void *context, struct gradus_error *error)
{
    struct search *s = search_files(k, error);
    if (!s)
        return GRADUS_NO_MEMORY;
    for (int i = 1; i < s->count; i++)
        if (s->files[i].has_kernel)
            take(context, s->files[i].path, s->files[i].text);
    free_search(s);
    return GRADUS_OK;
}
