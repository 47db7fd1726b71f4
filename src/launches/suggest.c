/* suggest.c: suggests front matter from a kernel's project. SPDX-License-Identifier: MIT */
#include "launches/suggest.h"

#include "core/error.h"
#include "base/str.h"
#include "launches/assignments.h"
#include "catalog/chosen.h"
#include "launches/launchtexts.h"
#include "catalog/parameters.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SUGGESTIONS = 600 };

/* Is there a line with this keyword in `extra`, or in the file? */
static bool is_given(const char *extra, const char *keyword)
{
    size_t length = strlen(keyword);
    for (const char *p = extra; p && *p; p += *p == '\n') {
        if (strncmp(p, keyword, length) == 0 && (p[length] == ' ' || p[length] == '\t'))
            return true;
        p += strcspn(p, "\n");
    }
    return false;
}

struct making {
    const struct gr_kernel *kernel;
    const char *extra;
    struct gr_assigner assigner;
    struct gr_suggestions *list;
    int most; /* of the list, with the launches so far */
    bool has_grid, has_args, has_layout, has_trans, has_template;
    bool usual_only;    /* usual launches in place of the project's */
    const char *chosen; /* the kernel's name, if no line has it and the file has others */
};

/* `extra` without its `kernel` line, which is written anew. */
static void write_given(const char *extra, struct gr_str *out)
{
    for (const char *p = extra; p && *p;) {
        size_t length = strcspn(p, "\n");
        if (strncmp(p, "kernel ", 7) != 0)
            gr_str_printf(out, "%.*s\n", (int)length, p);
        p += length + (p[length] == '\n');
    }
}

static void write_item(const char *keyword, const char *value, struct gr_str *lines,
                       struct gr_str *shown)
{
    if (!value || !*value)
        return;
    gr_str_printf(lines, "%s %s\n", keyword, value);
    gr_str_printf(shown, "%s--%s '%s'", shown->length ? " " : "", keyword, value);
}

static void write_arguments(const struct making *m, const struct gr_assignment *a,
                            struct gr_str *out)
{
    for (int i = 0; i < m->assigner.signature->count; i++)
        gr_str_printf(out, "%s%s", i ? ", " : "", a->roles[i]);
}

/* A `work` line for each array of zeros among the arguments. */
static void write_zeros(const struct making *m, const struct gr_assignment *a, struct gr_str *lines,
                        struct gr_str *shown)
{
    for (int i = 0; i < m->assigner.signature->count; i++) {
        enum gr_dtype type;
        const struct gr_parameter *p = &m->assigner.signature->parameters[i];
        const bool known = gr_parameter_dtype(m->assigner.scan, p, &type);
        if (!gr_starts_with(a->roles[i], GR_ZEROS))
            continue;
        char *line = gr_printf("%s = %s[M*N] zero", a->roles[i], known ? gr_dtype_name(type) : "T");
        write_item("work", line, lines, shown);
        free(line);
    }
}

/* Assignments that differ only in what is given make the same lines. */
static bool is_listed(const struct gr_suggestions *list, const char *lines)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].lines, lines) == 0)
            return true;
    return false;
}

static void push(struct making *m, const struct gr_assignment *a, const struct gr_launch_text *text,
                 bool square, bool zero)
{
    struct gr_suggestions *list = m->list;
    struct gr_suggestion *grown =
        list->count < m->most ? realloc(list->items, ((size_t)list->count + 1) * sizeof *grown)
                              : NULL;
    struct gr_str lines = {0}, shown = {0}, arguments = {0};
    if (!grown)
        return;
    list->items = grown;
    const char *given_name = m->kernel->stanzas[0].kernel.text;
    if (text && text->name && !m->has_template)
        write_item("kernel", text->name, &lines, &shown);
    else if (m->chosen)
        write_item("kernel", m->chosen, &lines, &shown);
    else if (given_name)
        gr_str_printf(&lines, "kernel %s\n", given_name);
    if (text && !m->has_grid) {
        write_item("grid", text->grid, &lines, &shown);
        write_item("block", text->block, &lines, &shown);
        write_item("smem", text->smem, &lines, &shown);
    }
    write_arguments(m, a, &arguments);
    if (!m->has_args)
        write_item("args", gr_str_text(&arguments), &lines, &shown);
    if (!m->has_args)
        write_zeros(m, a, &lines, &shown);
    if (!m->has_layout && a->columns)
        write_item("layout", "A col, B col, C col", &lines, &shown);
    if (!m->has_trans && a->trans)
        write_item("trans", a->trans == 1 ? "nt" : a->trans == 2 ? "tn" : "tt", &lines, &shown);
    if (square)
        write_item("require", "M==N && N==K", &lines, &shown);
    if (zero)
        write_item("zero", "C", &lines, &shown);
    write_given(m->extra, &lines);
    gr_str_free(&arguments);
    if (is_listed(list, gr_str_text(&lines))) {
        gr_str_free(&lines);
        gr_str_free(&shown);
        return;
    }
    list->items[list->count++] =
        (struct gr_suggestion){.lines = lines.text,
                               .shown = shown.text,
                               .origin = gr_strdup(text ? text->origin : ""),
                               .square = square,
                               .zero = zero,
                               .guessed = text && text->guessed,
                               .invented = text && text->invented,
                               .score = a->score + (text ? text->score : 0)};
}

/* Adds the suggestions for one launch; for common launches if there is none, or if it cannot be
 * translated. */
static void suggest_for(struct making *m, const struct gr_site *site,
                        const struct gr_launch_texts *guessed)
{
    struct gr_assignments all = {0};
    gr_assignments_make(&m->assigner, site, &all);
    for (int i = 0; i < all.count; i++) {
        const struct gr_assignment *a = &all.items[i];
        struct gr_launch_texts texts = {0};
        if (site && !m->has_grid && !m->usual_only)
            gr_launch_texts_read(m->kernel, m->assigner.function, m->assigner.scan, site, a,
                                 &texts);
        const struct gr_launch_texts *from = texts.count ? &texts : guessed;
        int count = m->has_grid ? 1 : from->count;
        for (int t = 0; t < count; t++) {
            const struct gr_launch_text *text = m->has_grid ? NULL : &from->items[t];
            if (!a->is_square || a->is_whole)
                push(m, a, text, false, false);
            if (a->is_first)
                push(m, a, text, true, false);
            if (a->may_zero && !m->kernel->zero_c)
                push(m, a, text, a->is_square && !a->is_whole, true);
            if (a->may_zero && !m->kernel->zero_c && a->is_first)
                push(m, a, text, true, true);
        }
        gr_launch_texts_free(&texts);
    }
    gr_assignments_free(&all);
}

static int by_score(const void *a, const void *b)
{
    const struct gr_suggestion *x = a, *y = b;
    if (x->square != y->square)
        return x->square - y->square;
    if (x->score != y->score)
        return y->score - x->score;
    return x->zero - y->zero; /* after the same suggestion without it */
}

static void suggest_all(struct making *m)
{
    struct gr_project project = gr_project_of(m->kernel->path);
    struct gr_sites sites = {0};
    if ((!m->has_grid || !m->has_args) && m->kernel->language == GR_LANGUAGE_CUDA)
        gr_sites_find(m->kernel, m->assigner.signature, &project, &sites);
    const struct gr_launch_texts none = {0};
    for (int i = 0; i < sites.count && !m->usual_only; i++) { /* each has a share of the list */
        m->most = MOST_SUGGESTIONS * (i + 1) / sites.count;
        suggest_for(m, &sites.items[i], &none);
    }
    m->most = MOST_SUGGESTIONS;
    if (m->list->count == 0 && !(m->usual_only && m->has_grid)) {
        struct gr_launch_texts guessed = {0};
        if (!m->has_grid)
            gr_launch_texts_guess(m->assigner.function, m->assigner.scan,
                                  sites.count ? &sites.items[0] : NULL, &guessed);
        for (int i = 0; i < sites.count; i++)
            suggest_for(m, &sites.items[i], &guessed);
        if (sites.count == 0)
            suggest_for(m, NULL, &guessed);
        gr_launch_texts_free(&guessed);
    }
    /* The sort is stable, so that launches with equal scores keep the order of the file. */
    if (m->list->count)
        qsort(m->list->items, (size_t)m->list->count, sizeof *m->list->items, by_score);
    gr_sites_free(&sites);
    gr_project_free(&project);
}

/* The kernel's name, if its file has several kernels; else null. */
static const char *name_of_several(const struct gr_kernel *k, const struct gr_scan *scan,
                                   const struct gr_signature *signature)
{
    enum { TWO = 2 };
    int list[TWO];
    return gr_kernel_candidates(k->path, scan, k->language, list, TWO) > 1 ? signature->name : NULL;
}

static enum gradus_status suggest_from(struct gr_kernel *k, const char *extra, bool usual_only,
                                       struct gr_suggestions *list, struct gradus_error *error)
{
    struct gr_scan scan;
    int function = -1;
    struct gr_signature signature = {0};
    enum gradus_status status = gr_scan_text(k->path, k->source, &scan, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_kernel_choose(k, &k->stanzas[0], &scan, &function, error);
    if (status == GRADUS_OK)
        status = gr_signature_parse(k->path, &scan, &scan.functions[function], &signature, error);
    if (status == GRADUS_OK) {
        const struct gr_stanza *s = &k->stanzas[0];
        struct making m = {.kernel = k, .extra = extra, .list = list, .usual_only = usual_only};
        m.has_grid = (s->grid.count && s->block.count) || k->language == GR_LANGUAGE_C;
        m.has_args = s->args.count > 0;
        m.has_layout = is_given(extra, "layout") || k->col_major_a || k->col_major_c;
        m.has_trans = k->trans_declared;
        m.has_template = s->kernel.text && strchr(s->kernel.text, '<');
        m.chosen = s->kernel.text ? NULL : name_of_several(k, &scan, &signature);
        status = gr_assigner_make(k, &scan, &scan.functions[function], &signature, m.has_layout,
                                  m.has_trans, &m.assigner, error);
        if (status == GRADUS_OK)
            suggest_all(&m);
        gr_assigner_free(&m.assigner);
    }
    gr_signature_free(&signature);
    gr_scan_free(&scan);
    return status;
}

static enum gradus_status suggest(const char *path, const char *extra, bool usual_only,
                                  struct gr_suggestions *list, struct gradus_error *error)
{
    struct gr_kernel *kernel = NULL;
    *list = (struct gr_suggestions){0};
    enum gradus_status status = gr_kernel_open(path, extra, &kernel, error);
    if (status == GRADUS_OK && (kernel->stanza_count != 1 || gr_kernel_has_workload(kernel)))
        status = gr_fail(error, GRADUS_INVALID, "%s: nothing is suggested for it", path);
    if (status == GRADUS_OK)
        status = suggest_from(kernel, extra, usual_only, list, error);
    gr_kernel_free(kernel);
    return status;
}

enum gradus_status gr_suggest(const char *path, const char *extra, struct gr_suggestions *list,
                              struct gradus_error *error)
{
    return suggest(path, extra, false, list, error);
}

enum gradus_status gr_suggest_usual(const char *path, const char *extra,
                                    struct gr_suggestions *list, struct gradus_error *error)
{
    return suggest(path, extra, true, list, error);
}

void gr_suggestions_free(struct gr_suggestions *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->items[i].lines);
        free(list->items[i].shown);
        free(list->items[i].origin);
    }
    free(list->items);
    free(list->trouble);
    *list = (struct gr_suggestions){0};
}
