/* plain_parameters.c: adds a kernel with plain parameters that calls one whose parameters are
 * structures, or that reads variables of the device. SPDX-License-Identifier: MIT */
#include "catalog/plain_parameters.h"

#include "base/str.h"
#include "catalog/header_texts.h"
#include "catalog/member_types.h"
#include "catalog/number_types.h"
#include "catalog/plain_kernel.h"
#include "catalog/plain_launches.h"
#include "catalog/plain_variables.h"
#include "catalog/templates.h"
#include "catalog/toolkit_structures.h"

#include <stdlib.h>
#include <string.h>

/* Turns the kernel into a device function: removes what only a kernel may have. */
static void make_function(struct gr_rewriting *r, const struct gr_function *f, const char *name)
{
    static const char *const words[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                        "__block_size__", NULL};
    const struct gr_scan *scan = &r->scan;
    for (int i = f->head; i < f->parameters_begin; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (gr_token_is(scan, i, "__global__"))
            gr_rewriting_replace(r, t->begin, t->end, gr_strdup("__device__"));
        for (int w = 0; words[w]; w++)
            if (gr_token_is(scan, i, words[w]))
                gr_rewriting_blank(r, (struct gr_range){i, gr_token_close(scan, i + 1, f->name)});
    }
    gr_rewriting_replace(r, scan->tokens[f->name].begin, scan->tokens[f->name].end,
                         gr_printf("%s_of_structures", name));
}

/* Removes prototypes of the kernel, which would declare another function. */
static void drop_prototypes(struct gr_rewriting *r, const struct gr_function *f)
{
    const struct gr_scan *scan = &r->scan;
    for (int i = 0; i + 1 < scan->token_count; i++) {
        if (i == f->name || !gr_tokens_same(scan, i, f->name) || gr_function_at(scan, i))
            continue;
        const int open = gr_token_is(scan, i + 1, "<")
                             ? gr_token_close_angle(scan, i + 1, scan->token_count)
                             : i + 1;
        if (!gr_token_is(scan, open, "("))
            continue;
        const int close = gr_token_close(scan, open, scan->token_count);
        int begin = i;
        while (begin > 0 && scan->tokens[begin - 1].kind != GR_TOKEN_DIRECTIVE &&
               !gr_token_is(scan, begin - 1, ";") && !gr_token_is(scan, begin - 1, "}") &&
               !gr_token_is(scan, begin - 1, "{"))
            begin--;
        if (gr_token_is(scan, close, ";"))
            gr_rewriting_blank(r, (struct gr_range){begin, close + 1});
    }
}

static void add_kernel(struct gr_rewriting *r, const struct gr_function *f, const char *name,
                       const struct gr_plain_kernel *p)
{
    struct gr_str text = {0};
    const size_t end = r->scan.tokens[f->body_end - 1].end;
    char *arguments = f->is_template ? gr_template_names(&r->scan, f) : gr_strdup("");
    r->failed |= !arguments;
    gr_str_add(&text, " ");
    gr_rewriting_add_tokens(&r->scan, (struct gr_range){f->head, f->name}, &text);
    gr_str_printf(&text, "%s(%s) {%s %s_of_structures%s(%s); }", name, gr_str_text(&p->parameters),
                  gr_str_text(&p->values), name, arguments ? arguments : "",
                  gr_str_text(&p->arguments));
    gr_rewriting_replace(r, end, end, text.text);
    free(arguments);
}

static void rewrite_kernel(struct gr_rewriting *r, const struct gr_function *f)
{
    const struct gr_scan *scan = &r->scan;
    struct gr_plain_kernel p = {0};
    struct gr_str own = {0}, passed = {0};
    char *name = gr_token_text(scan, f->name);
    gr_plain_kernel_add_own(r, f, &p);
    for (int i = 0; i < r->variables.count; i++) {
        const struct gr_device_variable *v = &r->variables.items[i];
        if (scan->tokens[v->statement.begin].begin >= r->base &&
            gr_device_variable_used(scan, f, v) &&
            !gr_device_variable_shared(scan, &r->variables, v) &&
            !gr_plain_variable_has_other(r, &p, v)) {
            const int before = p.count;
            gr_plain_variable_add(r, v, &p, &own);
            if (p.count == before + 1 && v->extents.end > v->extents.begin)
                gr_plain_variable_note(r, f, v, &p);
            gr_rewriting_blank(r, v->statement);
        }
    }
    if (name && p.changed && !r->failed) {
        make_function(r, f, name);
        drop_prototypes(r, f);
        if (own.length) { /* `(void)` or `()`: there is nothing before the first comma */
            const bool none = f->parameters_end == f->parameters_begin ||
                              gr_token_is(scan, f->parameters_begin, "void");
            const size_t at = scan->tokens[f->parameters_end].begin;
            gr_rewriting_replace(r, none ? scan->tokens[f->parameters_begin - 1].end : at, at,
                                 gr_strdup(gr_str_text(&own) + 2 * none));
        }
        for (int i = 0; i < p.count; i++)
            gr_str_printf(&passed, "%s%s", i ? ", " : "", p.passed[i]);
        gr_plain_launches_pass(r, name, gr_str_text(&passed), p.own_count);
        gr_plain_notes_call(r->notes, name, &passed, p.own_count);
        add_kernel(r, f, name, &p);
    }
    gr_str_free(&passed);
    gr_str_free(&own);
    gr_plain_kernel_free(&p);
    free(name);
}

static char *rewrite(struct gr_rewriting *r)
{
    gr_device_variables_find(&r->scan, &r->structures, &r->variables);
    for (int i = 0; i < r->scan.function_count; i++) {
        const struct gr_function *f = &r->scan.functions[i];
        if (!f->is_global || r->scan.tokens[f->name].begin < r->base)
            continue;
        const int before = r->edit_count;
        gr_member_types_resolve(r, f);
        if (r->base > 0)
            gr_number_types_resolve(r, f);
        rewrite_kernel(r, f);
        for (; r->failed && r->edit_count > before; r->edit_count--)
            free(r->edits[r->edit_count - 1].text);
        r->failed = false;
    }
    return gr_rewriting_text(r);
}

/* Begins again with the headers' text, and with `before`, in front of the file's text. *joined must
 * stay valid as long as *r. False: the text cannot be read. */
static bool join(struct gr_rewriting *r, const char *before, const char *text,
                 struct gr_str *joined)
{
    gr_toolkit_structures(text, joined);
    gr_header_texts(r->path, text, joined);
    gr_str_add(joined, before ? before : "");
    if (joined->length == 0)
        return true;
    gr_str_add(joined, "\n");
    const size_t base = joined->length;
    gr_str_add(joined, text);
    if (joined->failed)
        return false;
    gr_rewriting_close(r);
    *r = (struct gr_rewriting){.path = r->path, .base = base, .notes = r->notes};
    return gr_scan_text(r->path, joined->text, &r->scan, NULL) == GRADUS_OK &&
           gr_structures_find(&r->scan, &r->structures);
}

char *gr_plain_parameters(const char *path, const char *before, const char *text,
                          struct gr_plain_notes *notes)
{
    char *changed = NULL;
    struct gr_str joined = {0};
    if (!strstr(text, "__global__"))
        return NULL;
    struct gr_rewriting *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct gr_rewriting){.path = path, .notes = notes};
    bool read = gr_scan_text(path, text, &r->scan, NULL) == GRADUS_OK;
    read = read && gr_structures_find(&r->scan, &r->structures);
    if (read && (gr_number_types_unknown(r) || gr_member_types_unknown(r)))
        read = join(r, before, text, &joined);
    if (read)
        changed = rewrite(r);
    gr_rewriting_close(r);
    free(r);
    gr_str_free(&joined);
    return changed;
}
