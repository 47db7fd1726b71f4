/* multi_gemm.c: computes the tiles of one rank, one after another, while the panels of the next
 * tile are being moved. SPDX-License-Identifier: MIT
 *
 *     product      0     1     2     3       what is in one column runs at the same time
 *     panels    0     1     2     3
 *     ahead           1     2     3          the part of a product that does not need the last one
 *     C               .     0     1    2  3  host operands only
 *
 * A rank may wait for the panels that another rank sends or uploads. Before these are queued, all
 * ranks agree that each has reached this tile, so that either all or none of them wait. With copies
 * of resident operands no rank waits for another: if all have kept their plan and memory, each
 * begins at once and ends by itself. */
#include "multi/multi_gemm.h"

#include "core/clock.h"
#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_product.h"
#include "multi/multi_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum gradus_status check(const struct gr_multi_run *r, int result, const char *what)
{
    return gr_multi_check(r->gpu, result, what, r->error);
}

/* ---- What the caller asks for ---- */

enum gradus_status gr_multi_gemm_turn(const struct gradus_gemm *given, struct gradus_gemm *turned,
                                      struct gradus_error *error)
{
    const struct {
        const char *member;
        bool found;
    } others[] = {{"batch", given->batch > 1 || given->a_array || given->b_array || given->c_array},
                  {"epilogue", given->epilogue != NULL},
                  {"packed_a", given->packed_a != NULL},
                  {"packed_b", given->packed_b != NULL},
                  {"context", given->context != NULL},
                  {"workspace", given->workspace != NULL},
                  {"stream", given->stream != NULL}};
    *turned = *given;
    turned->device = GRADUS_GPU;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].found)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "gpus: %s: found one, wanted none: several GPUs compute one plain "
                           "product",
                           others[i].member);
    if (given->sum_type != GRADUS_F32 && given->sum_type != GRADUS_F64)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gpus: types: found integers, wanted f32, f64, bf16 or f16");
    if (given->layout == GRADUS_ROW_MAJOR)
        return GRADUS_OK;
    turned->layout = GRADUS_ROW_MAJOR;
    turned->a_type = given->b_type, turned->b_type = given->a_type;
    turned->trans_a = given->trans_b, turned->trans_b = given->trans_a;
    turned->m = given->n, turned->n = given->m;
    turned->a = given->b, turned->lda = given->ldb;
    turned->b = given->a, turned->ldb = given->lda;
    return GRADUS_OK;
}

static void describe(const struct gr_multi_gemm *x, const struct gr_multi_plan *plan,
                     char asked[GR_DIST_ASKED])
{
    const struct gradus_gemm *const g = &x->gemm;
    snprintf(asked, GR_DIST_ASKED,
             "%" PRId64 "x%" PRId64 "x%" PRId64
             " types %d %d %d trans %d%d math %d alpha %.17g beta %.17g, %s, A %" PRId64 "x%" PRId64
             " B %" PRId64 "x%" PRId64 ", grid %" PRId64 "x%" PRId64,
             g->m, g->n, g->k, (int)g->a_type, (int)g->b_type, (int)g->c_type, g->trans_a != 0,
             g->trans_b != 0, (int)g->math, g->alpha, g->beta, x->resident ? "blocks" : "host",
             x->a.grid[0], x->a.grid[1], x->b.grid[0], x->b.grid[1], plan->grid[0], plan->grid[1]);
}

/* ---- Tiles ---- */

void *gr_multi_event(const struct gr_multi_run *r, int64_t tile, enum gr_multi_time time)
{
    return r->timed ? r->gpu->times[tile * GR_MULTI_TIMES + time] : NULL;
}

static uint64_t address_of(const struct gr_multi_run *r, int operand, int64_t tile)
{
    const int64_t me = r->comm->rank;
    const struct gr_multi_addresses *const mine = &r->all[me];
    if (!gr_multi_in_place(r->gemm, &r->plan, operand, me, tile))
        return mine->places[operand][gr_multi_place(&r->plan, operand, tile)];
    const struct gr_multi_rect p = gr_multi_needed(r->gemm, &r->plan, operand, me, tile);
    const struct gr_multi_rect own = gr_multi_own(r->gemm, operand, me);
    return mine->own[operand] +
           (uint64_t)(((p.row - own.row) * mine->ld[operand] + p.col - own.col) *
                      gr_multi_element(r->gemm, operand));
}

/* The address of a tile of C: in this rank's block, or in the buffer from which it goes to the
 * host. */
static uint64_t c_of(const struct gr_multi_run *r, int64_t tile)
{
    const struct gr_multi_blocks *const c = &r->gemm->c;
    const struct gradus_gemm *const g = &r->gemm->gemm;
    if (!r->gemm->resident)
        return r->c[tile % GR_MULTI_PLACES];
    const struct gr_multi_rect t = gr_multi_tile(r->gemm, &r->plan, r->comm->rank, tile);
    const int64_t row = gr_dist_begin(g->m, r->plan.grid[0], r->comm->rank / r->plan.grid[1]);
    const int64_t col = gr_dist_begin(g->n, r->plan.grid[1], r->comm->rank % r->plan.grid[1]);
    return (uintptr_t)c->local +
           (uint64_t)(((t.row - row) * c->ld + t.col - col) * gr_gemm_type_bytes(g->c_type));
}

/* The local product of a tile, with all addresses. */
static struct gradus_gemm product_of(const struct gr_multi_run *r, int64_t tile)
{
    struct gradus_gemm g = gr_multi_product(r, tile);
    g.a = (const void *)(uintptr_t)address_of(r, GR_MULTI_A, tile);
    g.b = (const void *)(uintptr_t)address_of(r, GR_MULTI_B, tile);
    g.c = (void *)(uintptr_t)c_of(r, tile);
    if (r->workspace_bytes)
        g.workspace = (void *)(uintptr_t)r->workspace, g.workspace_bytes = r->workspace_bytes;
    return g;
}

/* Queues the first part of a tile's product, to run as soon as its panels have arrived: the product
 * before, which has been queued, leaves multiprocessors idle in its last wave. When the panels have
 * arrived, the product before that one has ended, so the memory for the result is free. */
static enum gradus_status make_ahead(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_device_driver *const d = r->gpu->driver;
    const int place = (int)(tile % GR_MULTI_PLACES);
    void *const stream = r->gpu->streams[GR_MULTI_AHEAD];
    struct gradus_gemm g = product_of(r, tile);
    if (!r->spare_bytes || tile % r->plan.steps == 0 || g.m == 0 || g.n == 0)
        return GRADUS_OK;
    enum gradus_status status =
        check(r, d->stream_wait(stream, r->gpu->arrived[place], 0), "ordering two streams");
    g.stream = stream;
    if (status == GRADUS_OK)
        status = gr_device_gemm_ahead(&g, r->spare, r->spare_bytes, &r->left, r->error);
    return status == GRADUS_OK
               ? check(r, d->event_record(r->gpu->ahead[place], stream), "recording an event")
               : status;
}

static enum gradus_status multiply(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_device_driver *const d = r->gpu->driver;
    const int place = (int)(tile % GR_MULTI_PLACES);
    void *const stream = r->gpu->streams[GR_MULTI_PRODUCT];
    const struct gradus_gemm g = product_of(r, tile);
    int result = d->stream_wait(stream, r->gpu->arrived[place], 0);
    if (result == 0 && r->timed)
        result = d->event_record(gr_multi_event(r, tile, GR_MULTI_PRODUCT_BEGIN), stream);
    if (result == 0 && r->left.ahead.pieces)
        result = d->stream_wait(stream, r->gpu->ahead[place], 0);
    enum gradus_status status = check(r, result, "ordering two streams");
    if (status == GRADUS_OK && g.m > 0 && g.n > 0)
        status = gr_device_gemm_next(&g, &r->left, r->error);
    if (status != GRADUS_OK)
        return status;
    if (r->timed)
        result = d->event_record(gr_multi_event(r, tile, GR_MULTI_PRODUCT_END), stream);
    if (result == 0)
        result = d->event_record(r->gpu->done[place], stream);
    return check(r, result, "recording an event");
}

/* Collective if there are several ranks. `status` is this rank's status so far. */
static enum gradus_status agree(struct gr_multi_run *r, const char *asked,
                                enum gradus_status status)
{
    if (r->comm->size == 1)
        return status;
    status = gr_dist_agree(r->comm, status, asked, r->error);
    r->told = status != GRADUS_OK;
    return status;
}

/* Must all ranks have reached a tile before any of them fetches its operands? They need not if each
 * copies from resident blocks. NCCL's calls wait for the other side, and uploads that ranks share
 * must have been queued. Before the first tile of resident operands, the ranks have just agreed. */
static bool waits_for_others(const struct gr_multi_run *r, int64_t tile)
{
    return !r->gemm->resident || (r->gpu->nccl && tile > 0);
}

/* Collective. Brings the operands of a tile. If that fails, the other ranks learn it when they next
 * agree. */
static enum gradus_status bring(struct gr_multi_run *r, int64_t tile, enum gradus_status status)
{
    if (status == GRADUS_OK && !r->gemm->resident)
        status = gr_multi_upload(r, tile);
    if (waits_for_others(r, tile))
        status = agree(r, NULL, status);
    return status == GRADUS_OK ? gr_multi_travel(r, tile) : status;
}

/* A product is queued before the operands of the next tile, for which the host may have to copy.
 * With NCCL, the panels are queued first, since NCCL needs a few multiprocessors. */
static enum gradus_status compute(struct gr_multi_run *r, enum gradus_status status)
{
    const bool host = !r->gemm->resident, panels_first = !host && r->gpu->nccl;
    status = bring(r, 0, status);
    for (int64_t tile = 0; tile < r->tiles && !r->told; tile++) {
        const bool more = tile + 1 < r->tiles;
        if (panels_first && more)
            status = bring(r, tile + 1, status);
        if (status == GRADUS_OK)
            status = multiply(r, tile);
        if (host && tile > 0 && status == GRADUS_OK)
            status = gr_multi_download(r, tile - 1);
        if (!panels_first && more)
            status = bring(r, tile + 1, status);
        if (more && status == GRADUS_OK)
            status = make_ahead(r, tile + 1);
    }
    return host && status == GRADUS_OK ? gr_multi_download(r, r->tiles - 1) : status;
}

/* Adds the rank to a failure's text, as gr_dist_agree does. The other ranks learn of the failure
 * when this thread's round has ended. */
static enum gradus_status name_rank(const struct gr_multi_run *r, enum gradus_status status)
{
    char text[sizeof r->error->text];
    if (status == GRADUS_OK || r->comm->size == 1)
        return status;
    snprintf(text, sizeof text, "%.480s", r->error->text);
    return gr_fail(r->error, status, "rank %" PRId64 ": %s", r->comm->rank, text);
}

/* Waits until no work of the product is running. After a failure, NCCL is aborted, since its
 * kernels would wait for the failed rank for ever. */
static enum gradus_status finish(struct gr_multi_run *r, enum gradus_status status)
{
    if (!r->told && r->gpu->nccl_comm)
        status = agree(r, NULL, status);
    if (r->told && r->gpu->nccl_comm) {
        r->gpu->nccl->abort(r->gpu->nccl_comm);
        r->gpu->nccl_comm = NULL;
    }
    for (int s = 0; s < (r->gemm->resident ? GR_MULTI_UP : GR_MULTI_STREAMS); s++) {
        if (s == GR_MULTI_AHEAD && !r->spare_bytes)
            continue;
        const int result = r->gpu->driver->stream_synchronize(r->gpu->streams[s]);
        if (status == GRADUS_OK)
            status = check(r, result, "waiting for the GPU");
    }
    if (r->told)
        return status;
    return r->gpu->nccl ? agree(r, NULL, status) : name_rank(r, status);
}

/* ---- The timeline ---- */

static double between(const struct gr_multi_run *r, void *begin, void *end)
{
    float ms = 0;
    return r->gpu->driver->event_elapsed(&ms, begin, end) == 0 ? 1e-3 * (double)ms : 0;
}

static void tell_times(const struct gr_multi_run *r, double all_s, struct gr_dist_timeline *t)
{
    *t = (struct gr_dist_timeline){.bring_s = r->up_s + r->down_s,
                                   .all_s = all_s,
                                   .sent_bytes = r->sent_bytes,
                                   .received_bytes = r->received_bytes};
    void *const first = gr_multi_event(r, 0, GR_MULTI_TRAVEL_BEGIN);
    double last_end = 0;
    for (int64_t tile = 0; tile < r->tiles; tile++) {
        const double travel = between(r, first, gr_multi_event(r, tile, GR_MULTI_TRAVEL_BEGIN));
        const double there = between(r, first, gr_multi_event(r, tile, GR_MULTI_TRAVEL_END));
        const double begin = between(r, first, gr_multi_event(r, tile, GR_MULTI_PRODUCT_BEGIN));
        const double end = between(r, first, gr_multi_event(r, tile, GR_MULTI_PRODUCT_END));
        const double idle_from = last_end > travel ? last_end : travel;
        t->transfer_s += there - travel;
        t->product_s += end - begin;
        t->wait_s += there > idle_from ? there - idle_from : 0;
        last_end = end;
    }
}

/* ---- One product ---- */

/* Makes the plan, without communication. */
static enum gradus_status plan_of(struct gr_multi_run *r, const struct gr_multi_plan *plan,
                                  int64_t memory_bytes)
{
    enum gradus_status status = GRADUS_OK;
    if (plan) {
        r->plan = *plan;
    } else {
        struct gr_multi_rates rates = gr_multi_rates_assumed(r->gemm);
        rates.gpu = r->gpu->gpu;
        status = gr_multi_plan(r->gemm, r->comm->size, &rates, &r->plan, r->error);
    }
    return status == GRADUS_OK ? gr_multi_fit(r, memory_bytes) : status;
}

/* Collective. Sends each rank's entry of `all` to all other ranks. */
static enum gradus_status share(struct gr_multi_run *r)
{
    struct gr_dist_comm *const comm = r->comm;
    struct gr_dist_message to[GR_MULTI_GPUS], from[GR_MULTI_GPUS];
    int64_t count = 0;
    for (int64_t peer = 0; peer < comm->size; peer++) {
        if (peer == comm->rank)
            continue;
        to[count] = (struct gr_dist_message){peer, &r->all[comm->rank], sizeof r->all[0]};
        from[count++] = (struct gr_dist_message){peer, &r->all[peer], sizeof r->all[0]};
    }
    return count ? comm->exchange(comm, to, count, from, count, r->error) : GRADUS_OK;
}

/* Can all ranks use the plan and the memory of a product like this one again? Also takes the
 * largest numbers of steps and passes that the memory of any rank makes necessary. */
static bool all_kept(struct gr_multi_run *r)
{
    bool all = true;
    for (int64_t rank = 0; rank < r->comm->size; rank++) {
        const struct gr_multi_addresses *const x = &r->all[rank];
        all &= x->kept;
        if (x->steps > r->plan.steps)
            r->plan.steps = x->steps;
        if (x->passes > r->plan.passes)
            r->plan.passes = x->passes;
    }
    return all;
}

static enum gradus_status prepare(struct gr_multi_run *r, const struct gr_multi_plan *plan,
                                  int64_t memory_bytes, enum gradus_status status)
{
    char asked[GR_DIST_ASKED] = "";
    bool kept = false;
    if (status == GRADUS_OK && r->comm->size > 1 && r->gpu->nccl && !r->gpu->nccl_comm)
        status = gr_fail(r->error, GRADUS_CRASHED,
                         "gpus: a failure has ended NCCL's communicator; open the GPUs anew");
    if (status == GRADUS_OK) {
        kept = gr_multi_is_kept(r->gpu, r->gemm, plan, memory_bytes, r->timed);
        if (kept)
            gr_multi_take_kept(r, plan);
        else
            status = plan_of(r, plan, memory_bytes);
    }
    if (status == GRADUS_OK)
        describe(r->gemm, &r->plan, asked);
    status = agree(r, asked, status);
    if (status == GRADUS_OK) {
        gr_multi_address(r, kept);
        status = share(r);
    }
    if (status != GRADUS_OK)
        return status;
    kept = all_kept(r);
    r->tiles = r->plan.steps * r->plan.passes;
    if (kept)
        return GRADUS_OK;
    r->gpu->kept.is_there = false;
    status = agree(r, NULL, gr_multi_reserve(r));
    if (status == GRADUS_OK) {
        gr_multi_keep(r, plan, memory_bytes);
        gr_multi_address(r, true);
        status = share(r);
    }
    return status;
}

/* What remains of prepare() if the plan and the memory of the last product are used again. */
static void begin_kept(struct gr_multi_run *r, const struct gr_multi_plan *plan)
{
    gr_multi_take_kept(r, plan);
    r->tiles = r->plan.steps * r->plan.passes;
    gr_multi_address(r, true);
    gr_multi_address_others(r, r->kept);
}

enum gradus_status gr_multi_gemm_run(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, struct gr_multi_gpu *gpu,
                                     const struct gr_multi_ranks *kept, struct gr_dist_comm *comm,
                                     int64_t memory_bytes, struct gr_multi_plan *used,
                                     struct gr_dist_timeline *timeline, struct gradus_error *error)
{
    struct gradus_error own = {0};
    struct gr_multi_run *const r = calloc(1, sizeof *r);
    bool entered = false;
    if (!r)
        return gr_fail_memory(error, "a product over several GPUs", sizeof *r);
    *r = (struct gr_multi_run){.gemm = gemm,
                               .gpu = gpu,
                               .comm = comm,
                               .error = error ? error : &own,
                               .kept = kept,
                               .timed = timeline != NULL};
    enum gradus_status status = GRADUS_OK;
    if (gemm->gemm.m > 0 && gemm->gemm.n > 0) {
        status = gr_device_enter(gpu->gpu, &entered, r->error);
        if (kept)
            begin_kept(r, plan);
        else
            status = prepare(r, plan, memory_bytes, status);
        const int64_t begin = gr_now_ns();
        if (status == GRADUS_OK || kept)
            status = finish(r, compute(r, status));
        if (status == GRADUS_OK && timeline)
            tell_times(r, (double)(gr_now_ns() - begin) * 1e-9, timeline);
        gpu->kept.is_there &= status == GRADUS_OK;
        gr_device_leave(gpu->gpu, entered);
    }
    if (used) {
        *used = r->plan;
        used->model.step_dim = r->plan.steps > 1 ? GR_DIST_M : GR_DIST_N;
        used->model.steps = r->plan.steps * r->plan.passes;
    }
    gradus_error_clear(&own);
    free(r);
    return status;
}
