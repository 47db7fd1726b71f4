/* explained_report.c: an explained kernel as a folder: what the page needs to know, from the kernel's file, its launch
 * and the device. SPDX-License-Identifier: MIT */
#include "cli/explained_report.h"

#include "backend/cuda_plan.h"
#include "base/error.h"
#include "base/file.h"
#include "lab/analysis.h"
#include "model/floors.h"
#include "model/intensity.h"
#include "report/explain_page.h"

#include <stdlib.h>
#include <string.h>

/* What an SM's port to L2 carries in a clock, on GPUs since Volta. */
#define L2_BYTES_PER_CLOCK 64
#define BANK_BYTES 4

static enum gradus_status read_site(const char *site, struct gr_explain_page *page,
                                    struct gradus_error *error)
{
    char *end = NULL;
    long line = site ? strtol(site, &end, 10) : 0, column = 0;
    if (!site)
        return GRADUS_OK;
    bool right = end > site && line > 0 && line < 1000000;
    if (right && *end == ':') {
        const char *rest = end + 1;
        column = strtol(rest, &end, 10);
        right = end > rest && column > 0 && column < 1000000;
    }
    if (!right || *end)
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --site: found '%s', wanted LINE or LINE:COLUMN, as 24:19", site);
    page->site_line = (int)line;
    page->site_column = (int)column;
    return GRADUS_OK;
}

/* ---- the tiles, by their names ---- */

static int64_t value_of(const struct gr_specimen *s, const char *const *names)
{
    int64_t value;
    for (; *names; names++)
        if (gr_specimen_value(s, *names, &value) && value > 0)
            return value;
    return 0;
}

static bool has_shared(const struct gr_trace *trace, const struct gr_explanation *explanation)
{
    for (int i = 0; trace && i < trace->array_count; i++)
        if (trace->arrays[i].space == GR_SPACE_SHARED)
            return true;
    const struct gr_fact *fact = gr_explanation_find(explanation, "smem_bytes");
    return fact && fact->value > 0;
}

/* One name for a square tile (BS, TILE) stands for BM and BN, and for BK where there is shared memory to keep a step in. */
static struct gr_tiles tiles_of(const struct gr_specimen *s, const struct gr_explanation *e)
{
    static const char *const bm[] = {"BM", "BLOCK_M", "TILE_M", NULL};
    static const char *const bn[] = {"BN", "BLOCK_N", "TILE_N", NULL};
    static const char *const bk[] = {"BK", "BLOCK_K", "TILE_K", NULL};
    static const char *const wm[] = {"WM", "WS", NULL}, *const wn[] = {"WN", "WS", NULL};
    static const char *const tm[] = {"TM", NULL}, *const tn[] = {"TN", NULL};
    static const char *const square[] = {"BS", "TILE", "BLOCK_SIZE", "BLOCKSIZE", NULL};
    struct gr_tiles t = {value_of(s, bm), value_of(s, bn), value_of(s, bk), value_of(s, wm),
                         value_of(s, wn), value_of(s, tm), value_of(s, tn)};
    if (t.bm && t.bn) {
        t.tm = t.tm || !t.tn ? t.tm : 1; /* one of the two: the other is 1 */
        t.tn = t.tn || !t.tm ? t.tn : 1;
        return t;
    }
    int64_t side = value_of(s, square);
    t = (struct gr_tiles){.bm = side, .bn = side};
    t.bk = has_shared(s->trace, e) ? side : 0;
    return t;
}

/* ---- the launches ---- */

struct launches {
    struct gr_plan plan;
    struct gr_page_launch items[GR_MAX_STANZAS];
};

static const struct gr_trace *trace_of(const struct gr_explained *e, int stanza)
{
    for (int i = 0; i < e->trace_count; i++)
        if (e->traces[i].stanza == stanza)
            return &e->traces[i];
    return NULL;
}

/* Where the problem is refused there is no launch: then there are no pictures of one. */
static void plan(const struct gr_variant *variant, const struct gr_problem *problem,
                 const struct gr_givens *givens, const struct gr_explained *explained,
                 struct launches *l)
{
    struct gradus_error error = {0};
    *l = (struct launches){0};
    if (explained->refused || gr_cuda_plan(variant, problem, givens, &l->plan, &error))
        l->plan.launch_count = 0;
    gradus_error_clear(&error);
    for (int i = 0; i < l->plan.launch_count; i++) {
        const struct gr_plan_launch *p = &l->plan.launches[i];
        l->items[i] =
            (struct gr_page_launch){.kernel = variant->kernel->stanzas[p->stanza].signature.name,
                                    .once = p->once,
                                    .trace = trace_of(explained, p->stanza)};
        memcpy(l->items[i].grid, p->grid, sizeof p->grid);
        memcpy(l->items[i].block, p->block, sizeof p->block);
    }
}

/* ---- the page ---- */

static struct gr_reach reach_of(const struct gr_problem *problem, const struct gr_device *d)
{
    double clocks = (double)d->sms * (double)d->clock_mhz * 1e-3; /* of all SMs, 10^9 a second */
    return (struct gr_reach){.device = d->name,
                             .gflops = gr_floors_of(problem, d).gflops,
                             .dram_gbps = (double)d->memory_gbps,
                             .l2_gbps = clocks * L2_BYTES_PER_CLOCK,
                             .l1_gbps = clocks * (double)d->smem_banks * BANK_BYTES,
                             .ideal = gr_intensity_problem(problem, d)};
}

/* The same explanation as data, beside the page. */
static enum gradus_status write_data(const struct gr_explained_report *report,
                                     const struct gr_explained_head *head,
                                     const struct gr_explained *explained,
                                     struct gradus_error *error)
{
    struct gr_str json = {0}, md = {0};
    char *paths[] = {gr_printf("%s/explain.json", report->directory),
                     gr_printf("%s/explain.md", report->directory)};
    gr_explanation_json(head, explained, &json);
    gr_str_add(&json, "\n");
    gr_explanation_md(head, explained, &md);
    enum gradus_status status =
        !paths[0] || !paths[1] || json.failed || md.failed
            ? gr_fail_memory(error, "the report", json.length)
            : gr_file_write(paths[0], gr_str_text(&json), json.length, error);
    if (!status)
        status = gr_file_write(paths[1], gr_str_text(&md), md.length, error);
    free(paths[0]);
    free(paths[1]);
    gr_str_free(&json);
    gr_str_free(&md);
    return status;
}

static enum gradus_status write_page(const struct gr_explained_report *report,
                                     const struct gr_explained_head *head,
                                     const struct gr_variant *variant,
                                     const struct gr_explained *explained,
                                     struct gr_explain_page *page, struct gradus_error *error)
{
    const struct gr_givens givens = gr_explain_givens(head->device);
    struct launches *l = malloc(sizeof *l);
    if (!l)
        return gr_fail_memory(error, "the report", sizeof *l);
    plan(variant, head->problem, &givens, explained, l);
    page->launches = l->items;
    page->launch_count = l->plan.launch_count;
    for (int i = 0; i < l->plan.launch_count; i++) {
        const int stanza = l->plan.launches[i].stanza;
        const struct gr_specimen s = {.variant = variant,
                                      .problem = head->problem,
                                      .givens = &givens,
                                      .device = head->device,
                                      .stanza = &variant->kernel->stanzas[stanza],
                                      .launch = &l->plan.launches[i],
                                      .trace = l->items[i].trace};
        if (page->tiles.bm == 0 && gr_specimen_multiplies(&s)) {
            page->main_launch = i;
            page->tiles = tiles_of(&s, &explained->explanation);
        }
    }
    enum gradus_status status = gr_explain_page_write(page, report->directory, error);
    free(l);
    return status ? status : write_data(report, head, explained, error);
}

enum gradus_status gr_explained_report(const struct gr_explained_report *report,
                                       const struct gr_explained_head *head,
                                       const struct gr_variant *variant,
                                       const struct gr_explained *explained,
                                       struct gradus_error *error)
{
    struct gr_str circumstances = {0};
    struct gr_explain_page page = {.name = head->kernel->name,
                                   .title = head->kernel->title,
                                   .untraced = explained->untraced,
                                   .source = head->kernel->source,
                                   .command = head->command,
                                   .data = true,
                                   .problem = head->problem,
                                   .explanation = &explained->explanation,
                                   .warp = (int)head->device->warp,
                                   .reach = reach_of(head->problem, head->device)};
    enum gradus_status status = read_site(report->site, &page, error);
    gr_explanation_circumstances(head, explained, &circumstances);
    page.circumstances = gr_str_text(&circumstances);
    if (!status)
        status = write_page(report, head, variant, explained, &page, error);
    gr_str_free(&circumstances);
    return status;
}
