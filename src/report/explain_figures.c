/* explain_figures.c: chooses the pictures of a kernel's page. SPDX-License-Identifier: MIT */
#include "report/explain_page.h"

#include "report/amd_figure.h"

static struct gr_figure *next_figure(struct gr_page_figures *f)
{
    return &f->items[f->count];
}

/* Keeps the picture that was drawn last, unless it is empty. */
static void keep(struct gr_page_figures *f)
{
    struct gr_figure *made = next_figure(f);
    if (made->failed || made->wide.length)
        f->count++;
    else
        gr_figure_free(made);
}

static void add_sites(const struct gr_explain_page *page, struct gr_page_figures *f)
{
    struct gr_figure_site where;
    if (gr_page_worst_site(page, GR_SPACE_GLOBAL, page->site_line, page->site_column, &where)) {
        gr_picture_lanes(&where, "sectors", next_figure(f));
        keep(f);
    }
    if (gr_page_worst_site(page, GR_SPACE_SHARED, page->site_line, page->site_column, &where)) {
        gr_picture_banks(&where, "banks", next_figure(f));
        keep(f);
    }
}

void gr_page_figures_make(const struct gr_explain_page *page, struct gr_page_figures *f)
{
    add_sites(page, f);
    if (page->launch_count > 0) {
        const struct gr_page_launch *launch = &page->launches[page->main_launch];
        int warp = launch->trace ? launch->trace->warp : page->warp;
        const bool is_gemm = !page->workload || page->workload->is_gemm;
        gr_picture_tiles(is_gemm ? page->problem : NULL, &page->tiles, launch->grid, launch->block,
                         warp, next_figure(f));
        keep(f);
    }
    if (gr_picture_reach(&page->reach, next_figure(f)))
        keep(f);
    for (int i = 0; page->amd_kept && i < f->count; i++)
        gr_figure_in_amd_words(&f->items[i], page->amd_kept);
}

void gr_page_figures_free(struct gr_page_figures *f)
{
    for (int i = 0; i < f->count; i++)
        gr_figure_free(&f->items[i]);
    f->count = 0;
}
