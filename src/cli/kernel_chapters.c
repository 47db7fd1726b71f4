/* kernel_chapters.c: makes the chapters of a report from kernels and their explanations.
 * SPDX-License-Identifier: MIT */
#include "cli/kernel_chapters.h"

#include "core/error.h"
#include "catalog/catalog.h"
#include "cli/diff.h"
#include "report/explained_report.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTEXT = 3 };

void gr_kernel_chapters_open(struct gr_kernel_chapters *made, const char *directory)
{
    *made = (struct gr_kernel_chapters){.directory = directory};
}

void gr_kernel_chapters_close(struct gr_kernel_chapters *made)
{
    gr_chapters_free(&made->chapters);
    gradus_error_clear(&made->error);
}

static struct gr_chapter *chapter_of(struct gr_kernel_chapters *made, const char *name)
{
    for (int i = 0; i < made->chapters.count; i++)
        if (strcmp(made->chapters.items[i].name, name) == 0)
            return &made->chapters.items[i];
    return NULL;
}

/* Compares the kernel with the rung before it. There is no diff if that is not found, or for the
 * first rung. */
static void compare(struct gr_chapter *chapter, const struct gr_kernel *kernel,
                    const char *kernel_dir)
{
    struct gr_catalog catalog = {0};
    const struct gr_kernel *before = NULL;
    struct gr_str diff = {0};
    struct gradus_error error = {0};
    enum gradus_status status =
        kernel->after ? gr_catalog_load(kernel_dir, kernel->language, &catalog, &error)
                      : GRADUS_NOT_FOUND;
    if (status == GRADUS_OK)
        status = gr_catalog_find(&catalog, kernel->after, &before, &error);
    if (status == GRADUS_OK)
        status = gr_diff_unified(before->path, before->source, kernel->path, kernel->source,
                                 CONTEXT, false, &diff, &error);
    if (status == GRADUS_OK) {
        chapter->before = gr_strdup(before->name);
        chapter->diff = diff.text;
    } else {
        gr_str_free(&diff);
    }
    gr_catalog_free(&catalog);
    gradus_error_clear(&error);
}

void gr_kernel_chapters_add(struct gr_kernel_chapters *made, const struct gr_kernel *kernel,
                            const char *kernel_dir)
{
    struct gr_str ideas = {0};
    struct gr_chapters *list = &made->chapters;
    if (chapter_of(made, kernel->name))
        return;
    struct gr_chapter *grown =
        realloc(list->items, (size_t)(list->count + 1) * sizeof *list->items);
    char *name = gr_strdup(kernel->name);
    if (grown)
        list->items = grown;
    if (!grown || !name) {
        free(name);
        made->status = gr_fail_memory(&made->error, "the report", sizeof *grown);
        return;
    }
    for (int i = 0; i < kernel->ideas.count; i++)
        gr_str_printf(&ideas, "%s\n", kernel->ideas.items[i].text);
    list->items[list->count] =
        (struct gr_chapter){.name = name, .title = gr_strdup(kernel->title), .ideas = ideas.text};
    compare(&list->items[list->count++], kernel, kernel_dir);
}

/* ---- Simulated kernels. ---- */

void gr_kernel_chapters_keep(struct gr_kernel_chapters *made, const struct gr_row *row)
{
    struct gr_chapter *chapter = row->kernel ? chapter_of(made, row->kernel) : NULL;
    char size[64];
    if (!chapter || !row->simulated || !row->counts.known || chapter->figure_count > 0)
        return;
    char *path = gr_printf("%s/%s/index.html", made->directory, chapter->name);
    if (path && access(path, R_OK) == 0) {
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        gr_chapter_forget(chapter);
        chapter->size = gr_strdup(size);
        chapter->page = gr_printf("%s/index.html", chapter->name);
    }
    free(path);
}

/* Returns a command such as "gradus explain 07_tile2d --size 256 … --report DIR". */
static char *command_of(const struct gr_explain *ask, const char *folder)
{
    const struct gr_kernel *kernel = ask->variant->kernel;
    const struct gr_problem *p = ask->problem;
    struct gr_str out = {0};
    char size[64], params[256];
    bool rung = gr_starts_with(kernel->path, "kernels/");
    char *words[] = {rung ? kernel->name : kernel->path}, *last[] = {(char *)folder};
    gr_size_name(p->m, p->n, p->k, size, sizeof size);
    gr_str_add(&out, "gradus explain ");
    gr_text_quote(&out, 1, words);
    if (!rung && kernel->stanza_count == 1 && kernel->stanzas[0].kernel.text) {
        gr_str_add(&out, " --kernel ");
        gr_text_quote(&out, 1, &kernel->stanzas[0].kernel.text);
    }
    gr_str_printf(&out, " --size %s --dtype %s --trans %s", size, gr_types_word(p->types),
                  gr_problem_trans(p));
    gr_variant_name(ask->variant, params, sizeof params);
    for (char *rest = params, *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word)
            gr_str_printf(&out, " --param %s", word);
    gr_str_add(&out, " --report ");
    gr_text_quote(&out, 1, last);
    return out.text;
}

/* Moves the pictures of tiles, lanes and banks from the page to the chapter. */
static void take_figures(struct gr_page_figures *from, struct gr_chapter *chapter)
{
    static const char *const names[GR_CHAPTER_FIGURES] = {"tiles", "sectors", "banks"};
    for (int n = 0; n < GR_CHAPTER_FIGURES; n++)
        for (int i = 0; i < from->count; i++)
            if (from->items[i].name && strcmp(from->items[i].name, names[n]) == 0) {
                chapter->figures[chapter->figure_count++] = from->items[i];
                from->items[i] = (struct gr_figure){0};
            }
}

void gr_kernel_chapters_explain(struct gr_kernel_chapters *made, const struct gr_explain *ask,
                                const struct gr_explained *explained)
{
    struct gr_chapter *chapter = chapter_of(made, ask->variant->kernel->name);
    struct gr_page_figures figures = {0};
    char size[64], params[256];
    if (!chapter || made->status != GRADUS_OK)
        return;
    gr_size_name(ask->problem->m, ask->problem->n, ask->problem->k, size, sizeof size);
    gr_variant_name(ask->variant, params, sizeof params);
    char *folder = gr_printf("%s/%s", made->directory, chapter->name);
    char *command = folder ? command_of(ask, folder) : NULL;
    const struct gr_explained_kernel kernel = {.head = {ask->variant->kernel, ask->problem,
                                                        ask->device, ask->arch, "as simulated",
                                                        params, command},
                                               .variant = ask->variant,
                                               .explained = explained};
    made->status = folder ? gr_explained_report_with(folder, &kernel, &figures, &made->error)
                          : gr_fail_memory(&made->error, "the report", 0);
    if (made->status == GRADUS_OK) {
        gr_chapter_forget(chapter);
        take_figures(&figures, chapter);
        chapter->size = gr_strdup(size);
        chapter->page = gr_printf("%s/index.html", chapter->name);
    }
    gr_page_figures_free(&figures);
    free(folder);
    free(command);
}
