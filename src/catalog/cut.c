/* cut.c: blanking the host code of a kernel file, line numbers kept. SPDX-License-Identifier: MIT
 */
#include "catalog/stub.h"

#include "base/error.h"
#include "catalog/scan.h"

#include <stdlib.h>
#include <string.h>

static bool same_word(const struct gr_scan *scan, int i, int j)
{
    const struct gr_token *a = &scan->tokens[i], *b = &scan->tokens[j];
    size_t length = a->end - a->begin;
    return a->kind == b->kind && length == b->end - b->begin &&
           memcmp(scan->text + a->begin, scan->text + b->begin, length) == 0;
}

static bool mentions(const struct gr_scan *scan, const struct gr_function *f, int name)
{
    for (int i = f->head; i < f->body_end; i++)
        if (same_word(scan, i, name))
            return true;
    return false;
}

/* Device code, and the host functions that device code names (constexpr ones), and what these name.
 */
static void keep_device_code(const struct gr_scan *scan, bool *cut)
{
    for (int i = 0; i < scan->function_count; i++)
        cut[i] = !scan->functions[i].is_global && !scan->functions[i].is_device;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < scan->function_count; i++)
            for (int j = 0; cut[i] && j < scan->function_count; j++)
                if (!cut[j] && mentions(scan, &scan->functions[j], scan->functions[i].name)) {
                    cut[i] = false;
                    changed = true;
                }
    }
}

/* Preprocessor lines inside a function stay: an #endif may belong to an #if outside. */
static void blank(const struct gr_scan *scan, const struct gr_function *f, char *text)
{
    size_t at = scan->tokens[f->head].begin;
    for (int i = f->head; i <= f->body_end; i++) {
        bool last = i == f->body_end;
        if (!last && scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        size_t end = last ? scan->tokens[i - 1].end : scan->tokens[i].begin;
        for (; at < end; at++)
            if (text[at] != '\n')
                text[at] = ' ';
        at = last ? end : scan->tokens[i].end;
    }
}

static void cut_functions(const struct gr_scan *scan, const bool *cut, char *text,
                          struct gr_str *names)
{
    for (int i = 0; i < scan->function_count; i++) {
        if (!cut[i])
            continue;
        const struct gr_function *f = &scan->functions[i];
        const struct gr_token *name = &scan->tokens[f->name];
        blank(scan, f, text);
        if (!names)
            continue;
        if (names->length)
            gr_str_add(names, ", ");
        gr_str_add_bytes(names, scan->text + name->begin, name->end - name->begin);
    }
}

enum gradus_status gr_source_cut(const char *path, const char *text, enum gr_language language,
                                 struct gr_str *out, struct gr_str *names,
                                 struct gradus_error *error)
{
    struct gr_scan scan;
    enum gradus_status status = gr_scan_text(path, text, &scan, error);
    if (status != GRADUS_OK)
        return status;
    char *copy = gr_strdup(text);
    bool *cut = calloc((size_t)scan.function_count + 1, sizeof *cut);
    if (copy && cut) {
        if (language == GR_LANGUAGE_CUDA)
            keep_device_code(&scan, cut);
        else
            for (int i = 0; i < scan.function_count; i++)
                cut[i] = gr_token_is(&scan, scan.functions[i].name, "main");
        cut_functions(&scan, cut, copy, names);
        gr_str_add(out, copy);
    }
    if (!copy || !cut || out->failed)
        status = gr_fail_memory(error, path, strlen(text));
    free(copy);
    free(cut);
    gr_scan_free(&scan);
    return status;
}
