/* explained_report.c: an explained kernel as a folder. Collects what the page needs from the
 * kernel's file, its launch and the device. SPDX-License-Identifier: MIT */
#include "report/explained_report.h"

#include "plan/launch_plan.h"
#include "core/error.h"
#include "explain/amd_words.h"
#include "explain/analysis.h"
#include "explain/traffic.h"
#include "model/floors.h"
#include "model/intensity.h"
#include "model/roofs.h"
#include "report/explain_pair.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- The sizes of the tiles, by the names of parameters. ---- */

static int64_t value_of(const struct gr_analysis_input *s, const char *const *names)
{
    int64_t value;
    for (; *names; names++)
        if (gr_input_value(s, *names, &value) && value > 0)
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

/* A single name for a square tile (BS, TILE) stands for BM and BN, and also for BK if the kernel
 * uses shared memory. */
static struct gr_tiles tiles_of(const struct gr_analysis_input *s, const struct gr_explanation *e)
{
    static const char *const bm[] = {"BM", "BLOCK_M", "TILE_M", NULL};
    static const char *const bn[] = {"BN", "BLOCK_N", "TILE_N", NULL};
    static const char *const bk[] = {"BK", "BLOCK_K", "TILE_K", NULL};
    static const char *const wm[] = {"WM", "WS", NULL}, *const wn[] = {"WN", "WS", NULL};
    static const char *const tm[] = {"TM", NULL}, *const tn[] = {"TN", NULL};
    static const char *const square[] = {"BS", "TILE", "BLOCK_SIZE", "BLOCKSIZE", NULL};
    struct gr_tiles t = {value_of(s, bm), value_of(s, bn), value_of(s, bk), value_of(s, wm),
                         value_of(s, wn), value_of(s, tm), value_of(s, tn), false};
    if (t.bm && t.bn) {
        t.tm = t.tm || !t.tn ? t.tm : 1; /* if only one of the two is named, the other is 1 */
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

/* Plans the launches. If the problem is refused, there are none, and no pictures of them. */
static void plan(const struct gr_variant *variant, const struct gr_problem *problem,
                 const struct gr_device_values *device_values, const struct gr_explained *explained,
                 struct launches *l)
{
    struct gradus_error error = {0};
    *l = (struct launches){0};
    if (explained->refused || gr_plan_launches(variant, problem, device_values, &l->plan, &error))
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

/* ---- the roofline ---- */

/* The kernel's intensities, over all launches that are timed. They are 0 if one of these was not
 * simulated. */
static struct gr_reach_kernel reach_of_kernel(const struct gr_explained_head *head, double flops,
                                              const struct launches *l)
{
    struct gr_reach_kernel k = {.name = head->kernel->name};
    double block = 0, l1 = 0, passes = 0;
    for (int i = 0; i < l->plan.launch_count; i++) {
        if (l->items[i].once)
            continue;
        if (!l->items[i].trace)
            return k;
        struct gr_traffic t = gr_traffic_of(l->items[i].trace);
        block += t.block;
        l1 += t.l1;
        passes += t.passes * gr_device_pass_bytes(head->device);
    }
    k.block = block > 0 ? flops / block : 0;
    k.l1 = l1 > 0 ? flops / l1 : 0;
    k.shared = passes > 0 ? flops / passes : 0;
    return k;
}

/* Without operations or without bytes, the roofline is not drawn. */
static struct gr_reach reach_of(const struct gr_explained_head *head,
                                const struct gr_explained *explained, const struct launches *l)
{
    const struct gr_device *d = head->device;
    const struct gr_workload *w = &explained->workload;
    const struct gr_roofs roofs = gr_roofs_of(d);
    const struct gr_fact *ridge =
        gr_explanation_find(&explained->explanation, "intensity.device"); /* by tensor cores, too */
    const double plain = gr_floors_of(0, 0, head->problem->types.acc, d).gflops;
    return (struct gr_reach){.device = d->name,
                             .gflops = ridge ? ridge->value * (double)d->memory_gbps : plain,
                             .dram_gbps = roofs.dram_gbps,
                             .l2_gbps = roofs.l2_gbps,
                             .l1_gbps = roofs.l1_gbps,
                             .shared_gbps = roofs.shared_gbps,
                             .ideal = w->bytes > 0 ? w->flops / w->bytes : 0,
                             .kernels = {reach_of_kernel(head, w->flops, l)},
                             .kernel_count = 1};
}

/* ---- the page ---- */

/* A page, and the data that it points to. */
struct ready {
    struct gr_explain_page page;
    const char **kept; /* the names of the arrays, for a device of AMD's */
    struct launches *launches;
    struct gr_str circumstances;
};

static void free_ready(struct ready *r)
{
    free(r->launches);
    free(r->kept);
    gr_str_free(&r->circumstances);
}

/* Finds the launches, and the sizes of the tiles of the one that multiplies. */
static void find_tiles(const struct gr_explained_kernel *kernel,
                       const struct gr_device_values *device_values, struct launches *l,
                       struct gr_explain_page *page)
{
    for (int i = 0; i < l->plan.launch_count; i++) {
        const int stanza = l->plan.launches[i].stanza;
        const struct gr_analysis_input s = {.variant = kernel->variant,
                                            .problem = kernel->head.problem,
                                            .device_values = device_values,
                                            .device = kernel->head.device,
                                            .stanza = &kernel->variant->kernel->stanzas[stanza],
                                            .workload = &kernel->explained->workload,
                                            .launch = &l->plan.launches[i],
                                            .trace = l->items[i].trace};
        if (page->tiles.bm == 0 && gr_input_multiplies(&s)) {
            page->main_launch = i;
            page->tiles = tiles_of(&s, &kernel->explained->explanation);
        }
    }
}

static enum gradus_status prepare(const struct gr_explained_kernel *kernel, struct ready *r,
                                  struct gradus_error *error)
{
    const struct gr_explained_head *head = &kernel->head;
    const struct gr_device_values device_values = gr_explain_device_values(head->device);
    struct launches *l = malloc(sizeof *l);
    *r = (struct ready){.launches = l};
    if (!l)
        return gr_fail_memory(error, "the report", sizeof *l);
    plan(kernel->variant, head->problem, &device_values, kernel->explained, l);
    if (gr_device_is_amd(head->device) && !(r->kept = gr_amd_kept(kernel->explained)))
        return gr_fail_memory(error, "the report", 0);
    gr_explanation_circumstances(head, kernel->explained, &r->circumstances);
    r->page = (struct gr_explain_page){.name = head->kernel->name,
                                       .title = head->kernel->title,
                                       .circumstances = gr_str_text(&r->circumstances),
                                       .untraced = kernel->explained->untraced,
                                       .source = head->kernel->source,
                                       .command = head->command,
                                       .data = true,
                                       .problem = head->problem,
                                       .workload = &kernel->explained->workload,
                                       .explanation = &kernel->explained->explanation,
                                       .launches = l->items,
                                       .launch_count = l->plan.launch_count,
                                       .warp = (int)head->device->warp,
                                       .amd_kept = r->kept,
                                       .reach = reach_of(head, kernel->explained, l)};
    find_tiles(kernel, &device_values, l, &r->page);
    r->page.tiles.amd = r->kept != NULL;
    return GRADUS_OK;
}

/* Writes the same explanations as data files next to the page. */
static enum gradus_status write_data(const struct gr_explained_kernel *kernels, int count,
                                     const char *directory, struct gradus_error *error)
{
    struct gr_str json = {0}, md = {0};
    gr_str_add(&json, count > 1 ? "{\"kernels\": [\n" : "");
    for (int i = 0; i < count; i++) {
        gr_str_add(&json, i ? ",\n" : "");
        gr_explanation_json(&kernels[i].head, kernels[i].explained, &json);
        gr_explanation_md(&kernels[i].head, kernels[i].explained, &md);
    }
    gr_str_add(&json, count > 1 ? "\n]}\n" : "\n");
    enum gradus_status status = gr_page_text_write(directory, "explain", "json", &json, error);
    if (!status)
        status = gr_page_text_write(directory, "explain", "md", &md, error);
    gr_str_free(&json);
    gr_str_free(&md);
    return status;
}

enum gradus_status gr_explained_report(const char *directory, const char *site,
                                       const struct gr_explained_kernel *kernel,
                                       struct gradus_error *error)
{
    struct ready r;
    enum gradus_status status = prepare(kernel, &r, error);
    if (!status)
        status = read_site(site, &r.page, error);
    if (!status)
        status = gr_explain_page_write(&r.page, directory, error);
    if (!status)
        status = write_data(kernel, 1, directory, error);
    free_ready(&r);
    return status;
}

enum gradus_status gr_explained_report_with(const char *directory,
                                            const struct gr_explained_kernel *kernel,
                                            struct gr_page_figures *figures,
                                            struct gradus_error *error)
{
    struct ready r;
    enum gradus_status status = prepare(kernel, &r, error);
    if (!status)
        status = gr_explain_page_write(&r.page, directory, error);
    if (!status)
        status = write_data(kernel, 1, directory, error);
    if (!status)
        gr_page_figures_make(&r.page, figures);
    free_ready(&r);
    return status;
}

/* ---- two kernels ---- */

/* Writes the page of each kernel into a folder of its own. */
static enum gradus_status write_both(const struct gr_explained_kernel kernels[2],
                                     const struct ready ready[2], const char *directory,
                                     struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 2 && !status; i++) {
        char *folder = gr_printf("%s/%s", directory, gr_pair_folders[i]);
        status = folder ? gr_explain_page_write(&ready[i].page, folder, error)
                        : gr_fail_memory(error, "the report", 0);
        if (!status)
            status = write_data(&kernels[i], 1, folder, error);
        free(folder);
    }
    return status;
}

static enum gradus_status write_pair(const struct gr_explained_kernel kernels[2],
                                     const struct ready ready[2], const char *directory,
                                     struct gradus_error *error)
{
    static const char *const ids[2] = {"first-", "second-"};
    const struct gr_explained_head heads[2] = {kernels[0].head, kernels[1].head};
    const struct gr_explained *const both[2] = {kernels[0].explained, kernels[1].explained};
    struct gr_explain_page pages[2] = {ready[0].page, ready[1].page};
    struct gr_pair_row rows[GR_COMPARED];
    struct gr_str circumstances = {0};
    gr_explanation_against_circumstances(heads, both, &circumstances);
    for (int i = 0; i < 2; i++)
        pages[i].id = ids[i];
    const struct gr_explain_pair pair = {.pages = {&pages[0], &pages[1]},
                                         .circumstances = gr_str_text(&circumstances),
                                         .rows = rows,
                                         .row_count = gr_explanation_compare(heads, both, rows),
                                         .command = heads[0].command};
    enum gradus_status status = gr_explain_pair_write(&pair, directory, error);
    gr_str_free(&circumstances);
    return status ? status : write_data(kernels, 2, directory, error);
}

enum gradus_status gr_explained_report_pair(const char *directory, const char *site,
                                            const struct gr_explained_kernel kernels[2],
                                            struct gradus_error *error)
{
    struct ready ready[2] = {{.launches = NULL}, {.launches = NULL}};
    enum gradus_status status = prepare(&kernels[0], &ready[0], error);
    if (!status)
        status = prepare(&kernels[1], &ready[1], error);
    if (!status)
        status = read_site(site, &ready[0].page, error);
    if (!status)
        status = write_both(kernels, ready, directory, error);
    if (!status)
        status = write_pair(kernels, ready, directory, error);
    free_ready(&ready[0]);
    free_ready(&ready[1]);
    return status;
}
