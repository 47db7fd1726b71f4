/* multi_gpus.c: several GPUs of one process. Each has a thread, its rank, which exists as long as
 * the GPUs are open. SPDX-License-Identifier: MIT */
#include "multi/multi_gpus.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "dist/dist_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ---- */

struct opening {
    const int *numbers;
    enum gr_multi_link link;
    struct gradus_gpus *gpus;
};

static enum gradus_status open_one(struct gr_dist_comm *comm, void *context,
                                   struct gradus_error *error)
{
    const struct opening *const o = context;
    const int number = o->numbers ? o->numbers[comm->rank] : (int)comm->rank;
    return gr_multi_gpu_open(&o->gpus->gpus[comm->rank], number, true, o->link, comm, error);
}

static enum gradus_status count_gpus(int *count, struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    const enum gradus_status status = gr_device_driver_open(&driver, error);
    if (status == GRADUS_OK)
        *count = driver->devices < GR_MULTI_GPUS ? driver->devices : GR_MULTI_GPUS;
    return status;
}

static void name_link(struct gradus_gpus *gpus)
{
    const struct gr_multi_nccl *const nccl = gpus->gpus[0].nccl;
    int version = 0;
    if (gpus->count == 1)
        snprintf(gpus->link, sizeof gpus->link, "none");
    else if (!nccl)
        snprintf(gpus->link, sizeof gpus->link, "copies");
    else if (nccl->version(&version) == 0)
        snprintf(gpus->link, sizeof gpus->link, "NCCL %d.%d.%d", version / 10000,
                 version / 100 % 100, version % 100);
    else
        snprintf(gpus->link, sizeof gpus->link, "NCCL");
}

enum gradus_status gr_multi_gpus_open(const int *numbers, int count, enum gr_multi_link link,
                                      struct gradus_gpus **gpus, struct gradus_error *error)
{
    *gpus = NULL;
    int there = 0;
    const enum gradus_status found = count_gpus(&there, error);
    if (found != GRADUS_OK)
        return found;
    if (count == 0)
        numbers = NULL, count = there;
    if (count < 1 || count > GR_MULTI_GPUS)
        return gr_fail(error, GRADUS_INVALID, "gpus: count: found %d, wanted 0 to %d", count,
                       GR_MULTI_GPUS);
    struct gradus_gpus *const made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(error, "GPUs", sizeof *made);
    made->count = count;
    pthread_mutex_init(&made->lock, NULL);
    struct opening opening = {numbers, link, made};
    enum gradus_status status = gr_dist_team_open(count, true, &made->team, error);
    if (status == GRADUS_OK)
        status = gr_dist_team_run(made->team, open_one, &opening, error);
    if (status == GRADUS_OK)
        name_link(made);
    if (status == GRADUS_OK)
        *gpus = made;
    else
        gradus_gpus_close(made);
    return status;
}

enum gradus_status gradus_gpus_open(const int *numbers, int count, struct gradus_gpus **gpus,
                                    struct gradus_error *error)
{
    const char *const text = getenv("GRADUS_GPUS_LINK");
    enum gr_multi_link link = GR_MULTI_AUTO;
    if (!gpus)
        return gr_fail(error, GRADUS_INVALID,
                       "gpus: found a null pointer, wanted a place for them");
    *gpus = NULL;
    if (text && strcmp(text, "nccl") == 0)
        link = GR_MULTI_NCCL;
    else if (text && strcmp(text, "copies") == 0)
        link = GR_MULTI_COPIES;
    else if (text && *text)
        return gr_fail(error, GRADUS_INVALID,
                       "gpus: GRADUS_GPUS_LINK: found '%.80s', wanted nccl or copies", text);
    return gr_multi_gpus_open(numbers, count, link, gpus, error);
}

/* After a fork, the child can neither use the GPUs nor release them. */
void gradus_gpus_close(struct gradus_gpus *gpus)
{
    if (!gpus)
        return;
    const bool is_here = gpus->team && gr_dist_team_is_here(gpus->team);
    for (int i = 0; is_here && i < gpus->count; i++)
        gr_multi_gpu_close(&gpus->gpus[i]);
    gr_dist_team_close(gpus->team);
    free(gpus);
}

int gradus_gpus_count(const struct gradus_gpus *gpus)
{
    return gpus ? gpus->count : 0;
}

const char *gradus_gpus_link(const struct gradus_gpus *gpus)
{
    return gpus ? gpus->link : "none";
}

/* ---- Products ---- */

struct running {
    const struct gr_multi_gemm *gemms;
    const struct gr_multi_plan *plan;
    struct gradus_gpus *gpus;
    int64_t memory_bytes;
    const struct gr_multi_told *told;
    const struct gr_multi_ranks *kept;
};

static enum gradus_status run_one(struct gr_dist_comm *comm, void *context,
                                  struct gradus_error *error)
{
    const struct running *const r = context;
    const int64_t me = comm->rank;
    return gr_multi_gemm_run(&r->gemms[me], r->plan, &r->gpus->gpus[me], r->kept, comm,
                             r->memory_bytes, r->told && me == 0 ? r->told->plan : NULL,
                             r->told && r->told->timelines ? &r->told->timelines[me] : NULL, error);
}

enum gradus_status gr_multi_gpus_run(const struct gr_multi_gemm *gemms,
                                     const struct gr_multi_plan *plan, struct gradus_gpus *gpus,
                                     int64_t memory_bytes, const struct gr_multi_told *told,
                                     struct gradus_error *error)
{
    const struct gr_multi_ranks ranks = {gemms, gpus->gpus};
    struct running running = {gemms,        plan, gpus,
                              memory_bytes, told, gpus->gpus[0].nccl ? NULL : &ranks};
    if (!gr_dist_team_is_here(gpus->team))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gpus: found a process that was forked from the one that opened the GPUs, "
                       "wanted that one");
    pthread_mutex_lock(&gpus->lock);
    for (int i = 0; i < gpus->count; i++)
        if (!gr_multi_is_kept(&gpus->gpus[i], &gemms[i], plan, memory_bytes,
                              told && told->timelines))
            running.kept = NULL;
    const enum gradus_status status = gr_dist_team_run(gpus->team, run_one, &running, error);
    pthread_mutex_unlock(&gpus->lock);
    return status;
}

static enum gradus_status check(const struct gradus_gemm *given, const struct gradus_gpus *gpus,
                                struct gradus_gemm *gemm, struct gradus_error *error)
{
    if (!given || !gpus)
        return gr_fail(error, GRADUS_INVALID,
                       "gpus: found a null pointer, wanted a problem and GPUs");
    *gemm = *given;
    gemm->device = GRADUS_GPU;
    if ((unsigned)given->math > GRADUS_MATH_SCALED)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gpus_gemm: math: found %d, wanted GRADUS_MATH_DEFAULT (0) to "
                       "GRADUS_MATH_SCALED (3)",
                       (int)given->math);
    return GRADUS_OK;
}

enum gradus_status gr_multi_gpus_host(const struct gradus_gemm *gemm, struct gradus_gpus *gpus,
                                      int64_t memory_bytes, const struct gr_multi_told *told,
                                      struct gradus_error *error)
{
    struct gradus_gemm turned;
    const enum gradus_status status = gr_multi_gemm_turn(gemm, &turned, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_multi_gemm *const gemms = calloc((size_t)gpus->count, sizeof *gemms);
    if (!gemms)
        return gr_fail_memory(error, "a product over several GPUs", sizeof *gemms);
    for (int i = 0; i < gpus->count; i++)
        gemms[i].gemm = turned;
    const enum gradus_status done = gr_multi_gpus_run(gemms, NULL, gpus, memory_bytes, told, error);
    free(gemms);
    return done;
}

enum gradus_status gradus_gpus_gemm(const struct gradus_gemm *given, struct gradus_gpus *gpus,
                                    struct gradus_error *error)
{
    struct gradus_gemm gemm;
    enum gradus_status status = check(given, gpus, &gemm, error);
    if (status == GRADUS_OK)
        status = gr_gemm_validate(&gemm, "gradus_gpus_gemm", error);
    if (status == GRADUS_OK)
        status = gr_gemm_validate_apart(&gemm, "gradus_gpus_gemm", error);
    return status == GRADUS_OK ? gr_multi_gpus_host(&gemm, gpus, 0, NULL, error) : status;
}

/* ---- Blocks ---- */

/* Reads the i-th GPU's block of a matrix, for a row-major product. `turned`: the matrix is
 * described column-major, so it is taken as its transpose. */
static enum gradus_status read_block(const struct gradus_gpus_matrix *x, char name, int i, int gpus,
                                     bool turned, struct gr_multi_blocks *blocks,
                                     struct gradus_error *error)
{
    if (!x || x->grid_rows < 1 || x->grid_cols < 1 || x->grid_rows > gpus ||
        x->grid_cols > gpus / x->grid_rows || !x->blocks || !x->lds)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gpus_gemm_blocks: %c: found a bad grid or a null pointer, wanted "
                       "blocks and lds of a grid of 1 to %d GPUs",
                       name, gpus);
    if (turned && x->grid_rows > 1 && x->grid_cols > 1)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gpus_gemm_blocks: %c: found a column-major grid of %" PRId64
                       "x%" PRId64 ", wanted a row or a column of GPUs, or row-major matrices",
                       name, x->grid_rows, x->grid_cols);
    const bool has = i < x->grid_rows * x->grid_cols;
    *blocks = (struct gr_multi_blocks){
        .grid = {turned ? x->grid_cols : x->grid_rows, turned ? x->grid_rows : x->grid_cols},
        .local = has ? x->blocks[i] : NULL,
        .ld = has ? x->lds[i] : 0};
    return GRADUS_OK;
}

static enum gradus_status check_block(const struct gr_multi_blocks *x, char name, int64_t rows,
                                      int64_t cols, int i, struct gradus_error *error)
{
    const int64_t at = i % x->grid[1];
    const int64_t height = gr_dist_begin(rows, x->grid[0], i / x->grid[1] + 1) -
                           gr_dist_begin(rows, x->grid[0], i / x->grid[1]);
    const int64_t width =
        gr_dist_begin(cols, x->grid[1], at + 1) - gr_dist_begin(cols, x->grid[1], at);
    if (i >= x->grid[0] * x->grid[1] || height == 0 || width == 0)
        return GRADUS_OK;
    if (!x->local || x->ld < width)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gpus_gemm_blocks: %c: GPU %d: found %s and ld %" PRId64
                       ", wanted a block of %" PRId64 "x%" PRId64 " elements",
                       name, i, x->local ? "a block" : "a null pointer", x->ld, height, width);
    return GRADUS_OK;
}

static enum gradus_status read_all(const struct gradus_gemm *gemm,
                                   const struct gradus_gpus_matrix *const given[3], int i, int gpus,
                                   struct gr_multi_gemm *out, struct gradus_error *error)
{
    const bool turned = gemm->layout == GRADUS_COL_MAJOR;
    enum gradus_status status = gr_multi_gemm_turn(gemm, &out->gemm, error);
    const struct gradus_gemm *const g = &out->gemm;
    struct gr_multi_blocks *const to[3] = {turned ? &out->b : &out->a, turned ? &out->a : &out->b,
                                           &out->c};
    out->resident = true;
    for (int x = 0; x < 3 && status == GRADUS_OK; x++)
        status = read_block(given[x], "ABC"[x], i, gpus, turned, to[x], error);
    if (status == GRADUS_OK && out->c.grid[0] * out->c.grid[1] != gpus)
        status = gr_fail(error, GRADUS_INVALID,
                         "gradus_gpus_gemm_blocks: C: found a grid of %" PRId64 "x%" PRId64
                         ", wanted one of all %d GPUs",
                         given[2]->grid_rows, given[2]->grid_cols, gpus);
    if (status == GRADUS_OK)
        status = check_block(&out->c, 'C', g->m, g->n, i, error);
    if (status == GRADUS_OK && g->k > 0 && g->alpha != 0)
        status = check_block(&out->a, turned ? 'B' : 'A', g->trans_a ? g->k : g->m,
                             g->trans_a ? g->m : g->k, i, error);
    if (status == GRADUS_OK && g->k > 0 && g->alpha != 0)
        status = check_block(&out->b, turned ? 'A' : 'B', g->trans_b ? g->n : g->k,
                             g->trans_b ? g->k : g->n, i, error);
    return status;
}

static int64_t largest(int64_t a, int64_t b, int64_t c)
{
    const int64_t ab = a > b ? a : b;
    return ab > c ? (ab > 0 ? ab : 1) : (c > 0 ? c : 1);
}

enum gradus_status gradus_gpus_gemm_blocks(const struct gradus_gemm *given,
                                           const struct gradus_gpus_matrix *a,
                                           const struct gradus_gpus_matrix *b,
                                           const struct gradus_gpus_matrix *c,
                                           struct gradus_gpus *gpus, struct gradus_error *error)
{
    const struct gradus_gpus_matrix *const all[3] = {a, b, c};
    struct gradus_gemm gemm;
    enum gradus_status status = check(given, gpus, &gemm, error);
    if (status == GRADUS_OK) { /* the blocks' leading dimensions are checked instead */
        gemm.lda = gemm.ldb = gemm.ldc = largest(gemm.m, gemm.n, gemm.k);
        status = gr_gemm_validate_sizes(&gemm, "gradus_gpus_gemm_blocks", error);
    }
    if (status != GRADUS_OK)
        return status;
    struct gr_multi_gemm *const gemms = calloc((size_t)gpus->count, sizeof *gemms);
    if (!gemms)
        return gr_fail_memory(error, "a product over several GPUs", sizeof *gemms);
    for (int i = 0; i < gpus->count && status == GRADUS_OK; i++)
        status = read_all(&gemm, all, i, gpus->count, &gemms[i], error);
    if (status == GRADUS_OK)
        status = gr_multi_gpus_run(gemms, NULL, gpus, 0, NULL, error);
    free(gemms);
    return status;
}
