/* multi_memory.c: the memory that one of several GPUs needs for its tiles, and what is kept of a
 * product for the next one like it. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_product.h"
#include "multi/multi_run.h"

#include <inttypes.h>

enum { HALF_LEAST = 16 << 20 };

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t rounded(int64_t bytes)
{
    enum { BOUNDARY = 256 };
    return (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

struct gradus_gemm gr_multi_product(const struct gr_multi_run *r, int64_t tile)
{
    const int64_t me = r->comm->rank;
    const struct gr_multi_rect t = gr_multi_tile(r->gemm, &r->plan, me, tile);
    struct gradus_gemm g = r->gemm->gemm;
    g.m = t.rows, g.n = t.cols;
    g.a = g.b = g.c = NULL;
    int64_t *const lds[] = {&g.lda, &g.ldb};
    for (int x = 0; x < GR_MULTI_OPERANDS; x++) {
        const struct gr_multi_rect panel = gr_multi_needed(r->gemm, &r->plan, x, me, tile);
        const int64_t element = gr_multi_element(r->gemm, x);
        *lds[x] = gr_multi_in_place(r->gemm, &r->plan, x, me, tile)
                      ? (x == GR_MULTI_A ? r->gemm->a.ld : r->gemm->b.ld)
                      : larger(gr_multi_pitch(panel.cols, element) / element, 1);
    }
    const int64_t element = gr_gemm_type_bytes(g.c_type);
    g.ldc = r->gemm->resident ? r->gemm->c.ld : gr_multi_pitch(t.cols, element) / element;
    g.stream = r->gpu->streams[GR_MULTI_PRODUCT];
    return g;
}

static enum gradus_status find_needs(const struct gr_multi_run *r, struct gr_multi_needs *n)
{
    const int64_t me = r->comm->rank, c_element = gr_gemm_type_bytes(r->gemm->gemm.c_type);
    int64_t rows = -1, cols = -1;
    *n = (struct gr_multi_needs){0};
    for (int64_t tile = 0; tile < r->plan.passes * r->plan.steps; tile++) {
        const struct gr_multi_rect t = gr_multi_tile(r->gemm, &r->plan, me, tile);
        int64_t out, in;
        for (int x = 0; x < GR_MULTI_OPERANDS; x++) {
            const struct gr_multi_rect p = gr_multi_needed(r->gemm, &r->plan, x, me, tile);
            const int64_t pitch = gr_multi_pitch(p.cols, gr_multi_element(r->gemm, x));
            if (!gr_multi_in_place(r->gemm, &r->plan, x, me, tile))
                n->panels[x] = larger(n->panels[x], rounded(pitch * p.rows));
            n->row = larger(n->row, pitch);
        }
        gr_multi_packed_bytes(r, tile, &out, &in);
        n->out = larger(n->out, out), n->in = larger(n->in, in);
        if (!r->gemm->resident) {
            n->c = larger(n->c, rounded(gr_multi_pitch(t.cols, c_element) * t.rows));
            n->row = larger(n->row, gr_multi_pitch(t.cols, c_element));
        }
        if (t.rows == 0 || t.cols == 0 || (t.rows == rows && t.cols == cols))
            continue;
        rows = t.rows, cols = t.cols;
        const struct gradus_gemm product = gr_multi_product(r, tile);
        const int64_t workspace = gr_device_workspace(&product, r->error);
        if (workspace < 0)
            return r->error->status != GRADUS_OK
                       ? r->error->status
                       : gr_fail(r->error, GRADUS_UNSUPPORTED,
                                 "gpus: GPU %d has no kernel for the product",
                                 r->gpu->gpu->ordinal);
        n->workspace = larger(n->workspace, rounded(workspace));
        if (r->plan.steps > 1)
            n->ahead = larger(n->ahead, rounded(gr_device_ahead_bytes(r->gpu->gpu, &product)));
    }
    return GRADUS_OK;
}

static int64_t places_of(const struct gr_multi_plan *plan, int operand)
{
    return (operand == GR_MULTI_A ? plan->steps : plan->passes) > 1 ? GR_MULTI_PLACES : 1;
}

static int64_t bytes_of(const struct gr_multi_run *r, const struct gr_multi_needs *n)
{
    return places_of(&r->plan, GR_MULTI_A) * n->panels[GR_MULTI_A] +
           places_of(&r->plan, GR_MULTI_B) * n->panels[GR_MULTI_B] + GR_MULTI_PLACES * n->c +
           n->out + n->in + n->workspace + n->ahead;
}

static enum gradus_status too_little(const struct gr_multi_run *r, int64_t wanted, int64_t have)
{
    return gr_fail(r->error, GRADUS_NO_MEMORY,
                   "gpus: GPU %d: the smallest panels of a product with k = %" PRId64
                   " take %" PRId64 " MB, found %" PRId64 " MB free",
                   r->gpu->gpu->ordinal, r->gemm->gemm.k, (wanted >> 20) + 1, have >> 20);
}

enum gradus_status gr_multi_fit(struct gr_multi_run *r, int64_t memory_bytes)
{
    size_t free_bytes = 0, total = 0;
    enum { LEAST = 32 };
    enum gradus_status status =
        gr_multi_check(r->gpu, r->gpu->driver->memory_info(&free_bytes, &total),
                       "asking for the free memory", r->error);
    int64_t have = (int64_t)(free_bytes - free_bytes / 16) + r->gpu->memory_bytes;
    if (memory_bytes > 0 && memory_bytes < have)
        have = memory_bytes;
    while (status == GRADUS_OK) {
        struct gr_multi_needs n;
        status = find_needs(r, &n);
        if (status != GRADUS_OK || bytes_of(r, &n) <= have)
            break;
        const int64_t box_m = (r->gemm->gemm.m - 1) / r->plan.grid[0] + 1;
        const int64_t box_n = (r->gemm->gemm.n - 1) / r->plan.grid[1] + 1;
        const bool shorter = box_m / r->plan.steps > LEAST,
                   narrower = box_n / r->plan.passes > LEAST;
        const bool by_rows = n.panels[GR_MULTI_A] * places_of(&r->plan, GR_MULTI_A) >=
                             n.panels[GR_MULTI_B] * places_of(&r->plan, GR_MULTI_B);
        if (!shorter && !narrower)
            return too_little(r, bytes_of(r, &n), have);
        *(shorter && (by_rows || !narrower) ? &r->plan.steps : &r->plan.passes) *= 2;
    }
    return status;
}

static uint64_t take(uint64_t *at, int64_t bytes)
{
    const uint64_t here = *at;
    *at += (uint64_t)bytes;
    return here;
}

enum gradus_status gr_multi_reserve(struct gr_multi_run *r)
{
    struct gr_multi_needs n;
    enum gradus_status status = find_needs(r, &n);
    if (status != GRADUS_OK)
        return status;
    const int64_t half = r->gemm->resident ? 0 : rounded(larger(n.row, HALF_LEAST));
    r->gpu->kept.needs = n;
    return gr_multi_gpu_reserve(r->gpu, larger(bytes_of(r, &n), 256), half,
                                r->timed ? r->tiles * GR_MULTI_TIMES : 0, r->error);
}

/* Fills in what a rank with allocated memory sends to the others. Returns the address after its
 * panels. */
static uint64_t address(const struct gr_multi_plan *plan, const struct gr_multi_gemm *gemm,
                        const struct gr_multi_gpu *gpu, struct gr_multi_addresses *told)
{
    uint64_t at = gpu->memory;
    *told = (struct gr_multi_addresses){.kept = true,
                                        .steps = plan->steps,
                                        .passes = plan->passes,
                                        .context = gpu->gpu->context,
                                        .own = {(uintptr_t)gemm->a.local, (uintptr_t)gemm->b.local},
                                        .ld = {gemm->a.ld, gemm->b.ld}};
    for (int x = 0; x < GR_MULTI_OPERANDS; x++)
        for (int p = 0; p < places_of(plan, x); p++)
            told->places[x][p] = take(&at, gpu->kept.needs.panels[x]);
    for (int p = 0; p < GR_MULTI_PLACES; p++)
        told->uploaded[p] = gpu->uploaded[p], told->arrived[p] = gpu->arrived[p];
    return at;
}

void gr_multi_address(struct gr_multi_run *r, bool kept)
{
    const struct gr_multi_needs *const n = &r->gpu->kept.needs;
    struct gr_multi_addresses *const mine = &r->all[r->comm->rank];
    uint64_t at = address(&r->plan, r->gemm, r->gpu, mine);
    mine->kept = kept;
    for (int p = 0; p < GR_MULTI_PLACES; p++)
        r->c[p] = take(&at, n->c);
    r->packed_out = take(&at, n->out);
    r->packed_in = take(&at, n->in);
    r->workspace = take(&at, n->workspace);
    r->workspace_bytes = n->workspace;
    r->spare = take(&at, n->ahead);
    r->spare_bytes = n->ahead;
}

void gr_multi_address_others(struct gr_multi_run *r, const struct gr_multi_ranks *kept)
{
    for (int64_t rank = 0; rank < r->comm->size; rank++)
        if (rank != r->comm->rank)
            address(&r->plan, &kept->gemms[rank], &kept->gpus[rank], &r->all[rank]);
}

/* ---- What is kept for the next product ---- */

static bool same_blocks(const struct gr_multi_blocks *x, const struct gr_multi_blocks *y)
{
    return x->grid[0] == y->grid[0] && x->grid[1] == y->grid[1] && x->ld == y->ld;
}

/* Are the products equal except for addresses? */
static bool same_product(const struct gr_multi_gemm *x, const struct gr_multi_gemm *y)
{
    const struct gradus_gemm *const g = &x->gemm, *const h = &y->gemm;
    return g->m == h->m && g->n == h->n && g->k == h->k && g->lda == h->lda && g->ldb == h->ldb &&
           g->ldc == h->ldc && g->a_type == h->a_type && g->b_type == h->b_type &&
           g->c_type == h->c_type && g->sum_type == h->sum_type && g->math == h->math &&
           g->trans_a == h->trans_a && g->trans_b == h->trans_b && g->alpha == h->alpha &&
           g->beta == h->beta && x->resident == y->resident && same_blocks(&x->a, &y->a) &&
           same_blocks(&x->b, &y->b) && same_blocks(&x->c, &y->c);
}

static bool same_cuts(const struct gr_multi_plan *x, const struct gr_multi_plan *y)
{
    return x->grid[0] == y->grid[0] && x->grid[1] == y->grid[1] && x->steps == y->steps &&
           x->passes == y->passes;
}

bool gr_multi_is_kept(const struct gr_multi_gpu *gpu, const struct gr_multi_gemm *gemm,
                      const struct gr_multi_plan *plan, int64_t memory_bytes, bool timed)
{
    static const struct gr_multi_plan none = {.steps = 0};
    const struct gr_multi_kept *const kept = &gpu->kept;
    const int64_t tiles = kept->plan.steps * kept->plan.passes;
    return kept->is_there && kept->memory_bytes == memory_bytes &&
           same_cuts(&kept->asked, plan ? plan : &none) && same_product(&kept->gemm, gemm) &&
           (!timed || gpu->time_count >= tiles * GR_MULTI_TIMES);
}

void gr_multi_take_kept(struct gr_multi_run *r, const struct gr_multi_plan *plan)
{
    r->plan = r->gpu->kept.plan;
    if (plan)
        r->plan.model = plan->model;
}

void gr_multi_keep(struct gr_multi_run *r, const struct gr_multi_plan *plan, int64_t memory_bytes)
{
    struct gr_multi_kept *const kept = &r->gpu->kept;
    kept->gemm = *r->gemm;
    kept->asked = plan ? *plan : (struct gr_multi_plan){.steps = 0};
    kept->plan = r->plan;
    kept->memory_bytes = memory_bytes;
    kept->is_there = true;
}
