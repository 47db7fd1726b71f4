/* stream.c: a pipeline of panels. The team packs panel p+2 into page-locked memory while panel
 * p+1 is copied and panel p is multiplied. A finished block of C is copied back while the next
 * one is computed. SPDX-License-Identifier: MIT */
#include "files/stream.h"

#include "core/error.h"
#include "cpu/cpu.h"
#include "gpu/context.h"
#include "files/blocks.h"
#include "files/gpu_kernel.h"
#include "gpu/vendor.h"

#include <string.h>

enum { TWO = 2 };

/* One of two buffers on host and device, for a panel or for a block of C. */
struct slot {
    void *host[TWO]; /* A and B; or C */
    gr_gpu_address device[TWO];
    gr_gpu_event copied;   /* to the device (panels), to the host (blocks of C) */
    gr_gpu_event consumed; /* multiplied (panels) */
};

struct pipeline {
    const struct gradus_gemm *gemm;
    const struct gr_gpu_driver *driver;
    gr_gpu_stream compute, copy;
    struct gr_gpu_kernel kernel;
    struct gr_team *team;
    struct gr_block_plan plan;
    size_t element;
    int64_t lda, ldb, ldc; /* of the blocks */
    struct slot panels[TWO], blocks[TWO];
    int64_t panel_count, block_count;
};

/* Rows of blocks begin at multiples of 16 bytes. */
static int64_t padded(int64_t columns)
{
    return (columns + 3) / 4 * 4;
}

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static enum gradus_status check(const struct pipeline *p, gr_gpu_result result, const char *what,
                                struct gradus_error *error)
{
    return gr_gpu_check(p->driver, result, what, error);
}

static gr_gpu_result make_slot(struct pipeline *p, struct slot *slot, const size_t bytes[TWO])
{
    gr_gpu_result result = p->driver->event_create(&slot->copied, GR_GPU_EVENT_DISABLE_TIMING);
    if (result == GR_GPU_SUCCESS)
        result = p->driver->event_create(&slot->consumed, GR_GPU_EVENT_DISABLE_TIMING);
    for (int i = 0; i < TWO && result == GR_GPU_SUCCESS; i++) {
        if (bytes[i] == 0)
            continue;
        result = p->driver->host_alloc(&slot->host[i], bytes[i], 0);
        if (result == GR_GPU_SUCCESS)
            result = p->driver->memory_alloc(&slot->device[i], bytes[i]);
    }
    return result;
}

static void free_slot(struct pipeline *p, struct slot *slot)
{
    for (int i = 0; i < TWO; i++) {
        if (slot->host[i])
            p->driver->host_free(slot->host[i]);
        if (slot->device[i])
            p->driver->memory_free(slot->device[i]);
    }
    if (slot->copied)
        p->driver->event_destroy(slot->copied);
    if (slot->consumed)
        p->driver->event_destroy(slot->consumed);
}

static enum gradus_status make_buffers(struct pipeline *p, int64_t memory_bytes,
                                       struct gradus_error *error)
{
    const struct gradus_gemm *g = p->gemm;
    size_t free_bytes = 0, total = 0;
    enum gradus_status status =
        check(p, p->driver->memory_info(&free_bytes, &total), "asking for free memory", error);
    if (status != GRADUS_OK)
        return status;
    int64_t most = (int64_t)(free_bytes / 10 * 9);
    int64_t bytes = memory_bytes > 0 ? min(memory_bytes, most) : most;
    p->plan = gr_blocks_plan(g->m, g->n, g->k, bytes / (int64_t)p->element);
    p->lda = padded(p->plan.k);
    p->ldb = p->ldc = padded(p->plan.n);
    const size_t panel[TWO] = {(size_t)(p->plan.m * p->lda) * p->element,
                               (size_t)(p->plan.k * p->ldb) * p->element};
    const size_t block[TWO] = {(size_t)(p->plan.m * p->ldc) * p->element, 0};
    gr_gpu_result result = GR_GPU_SUCCESS;
    for (int i = 0; i < TWO && result == GR_GPU_SUCCESS; i++) {
        result = make_slot(p, &p->panels[i], panel);
        if (result == GR_GPU_SUCCESS)
            result = make_slot(p, &p->blocks[i], block);
    }
    return check(p, result, "memory for blocks on the host and the GPU", error);
}

/* The origin and size of the current block of C. */
struct place {
    int64_t row, col, m, n;
};

/* Packs and copies the panel that begins at `k`, after the previous panel in its buffer was
 * multiplied. */
static enum gradus_status send_panel(struct pipeline *p, const struct place *at, int64_t k,
                                     int64_t deep, struct slot *slot, struct gradus_error *error)
{
    const struct gradus_gemm *g = p->gemm;
    const struct gr_block_source a = {g->a, g->lda, g->trans_a, p->element};
    const struct gr_block_source b = {g->b, g->ldb, g->trans_b, p->element};
    gr_gpu_result result = GR_GPU_SUCCESS;
    if (p->panel_count >= TWO) /* the host's copy may still be on its way */
        result = p->driver->event_synchronize(slot->copied);
    if (result == GR_GPU_SUCCESS) {
        gr_block_pack(p->team, &a, at->row, k, at->m, deep, slot->host[0], p->lda);
        gr_block_pack(p->team, &b, k, at->col, deep, at->n, slot->host[1], p->ldb);
        if (p->panel_count >= TWO)
            result = p->driver->stream_wait(p->copy, slot->consumed, 0);
    }
    if (result == GR_GPU_SUCCESS)
        result = p->driver->to_device(slot->device[0], slot->host[0],
                                      (size_t)(at->m * p->lda) * p->element, p->copy);
    if (result == GR_GPU_SUCCESS)
        result = p->driver->to_device(slot->device[1], slot->host[1],
                                      (size_t)(deep * p->ldb) * p->element, p->copy);
    if (result == GR_GPU_SUCCESS)
        result = p->driver->event_record(slot->copied, p->copy);
    if (result == GR_GPU_SUCCESS)
        result = p->driver->stream_wait(p->compute, slot->copied, 0);
    return check(p, result, "copying to the GPU", error);
}

static enum gradus_status multiply_panel(struct pipeline *p, const struct place *at, int64_t deep,
                                         double beta, struct slot *panel, struct slot *block,
                                         struct gradus_error *error)
{
    enum gr_dtype type = p->element == 8 ? GR_F64 : GR_F32;
    struct gr_problem problem =
        gr_problem_dense(at->m, at->n, deep, false, false, gr_types_of(type));
    problem.lda = p->lda;
    problem.ldb = p->ldb;
    problem.ldc = p->ldc;
    problem.alpha = p->gemm->alpha;
    problem.beta = beta;
    enum gradus_status status = gr_gpu_kernel_run(
        &p->kernel, &problem, (void *)(uintptr_t)panel->device[0],
        (void *)(uintptr_t)panel->device[1], (void *)(uintptr_t)block->device[0], error);
    if (status == GRADUS_OK)
        status =
            check(p, p->driver->event_record(panel->consumed, p->compute), "the product", error);
    return status;
}

/* Copies the C0 of a block, if beta is not 0. */
static enum gradus_status send_c0(struct pipeline *p, const struct place *at, struct slot *block,
                                  struct gradus_error *error)
{
    const struct gr_block_source c = {p->gemm->c, p->gemm->ldc, false, p->element};
    if (p->gemm->beta == 0)
        return GRADUS_OK;
    gr_block_pack(p->team, &c, at->row, at->col, at->m, at->n, block->host[0], p->ldc);
    return check(p,
                 p->driver->to_device(block->device[0], block->host[0],
                                      (size_t)(at->m * p->ldc) * p->element, p->compute),
                 "copying C to the GPU", error);
}

static enum gradus_status compute_block(struct pipeline *p, const struct place *at,
                                        struct slot *block, struct gradus_error *error)
{
    const struct gradus_gemm *g = p->gemm;
    enum gradus_status status = send_c0(p, at, block, error);
    for (int64_t k = 0; k < g->k && status == GRADUS_OK; k += p->plan.k) {
        struct slot *panel = &p->panels[p->panel_count % TWO];
        int64_t deep = min(p->plan.k, g->k - k);
        status = send_panel(p, at, k, deep, panel, error);
        if (status == GRADUS_OK)
            status = multiply_panel(p, at, deep, k == 0 ? g->beta : 1, panel, block, error);
        p->panel_count++;
    }
    gr_gpu_result result = GR_GPU_SUCCESS;
    if (status == GRADUS_OK)
        result = p->driver->to_host(block->host[0], block->device[0],
                                    (size_t)(at->m * p->ldc) * p->element, p->compute);
    if (status == GRADUS_OK && result == GR_GPU_SUCCESS)
        result = p->driver->event_record(block->copied, p->compute);
    return status == GRADUS_OK ? check(p, result, "copying from the GPU", error) : status;
}

/* Stores a block that was copied back in its place in C. */
static enum gradus_status store_block(struct pipeline *p, const struct place *at,
                                      struct slot *block, struct gradus_error *error)
{
    enum gradus_status status =
        check(p, p->driver->event_synchronize(block->copied), "the product", error);
    const struct gr_block_source from = {block->host[0], p->ldc, false, p->element};
    char *to = (char *)p->gemm->c + (size_t)(at->row * p->gemm->ldc + at->col) * p->element;
    if (status == GRADUS_OK)
        gr_block_pack(p->team, &from, 0, 0, at->m, at->n, to, p->gemm->ldc);
    return status;
}

/* Computes all blocks of C; each is stored after the next one has been submitted. */
static enum gradus_status run(struct pipeline *p, struct gradus_error *error)
{
    const struct gradus_gemm *g = p->gemm;
    struct place last = {0};
    enum gradus_status status = GRADUS_OK;
    for (int64_t row = 0; row < g->m && status == GRADUS_OK; row += p->plan.m)
        for (int64_t col = 0; col < g->n && status == GRADUS_OK; col += p->plan.n) {
            struct place at = {row, col, min(p->plan.m, g->m - row), min(p->plan.n, g->n - col)};
            status = compute_block(p, &at, &p->blocks[p->block_count % TWO], error);
            if (status == GRADUS_OK && p->block_count > 0)
                status = store_block(p, &last, &p->blocks[(p->block_count - 1) % TWO], error);
            last = at;
            p->block_count++;
        }
    if (status == GRADUS_OK)
        status = store_block(p, &last, &p->blocks[(p->block_count - 1) % TWO], error);
    return status;
}

static enum gradus_status open(const struct gr_device_ref *device, struct pipeline *p,
                               struct gradus_error *error)
{
    const struct gr_build build = {0};
    enum gradus_status status =
        gr_gpu_kernel_open(device, p->element == 8 ? GR_F64 : GR_F32, &build, 1, &p->kernel, error);
    if (status != GRADUS_OK)
        return status;
    p->driver = gr_gpu_context()->driver;
    p->compute = gr_gpu_context()->stream;
    p->team = gr_team_open(p->gemm->threads > 0 ? p->gemm->threads : gr_cpu_threads_default());
    if (!p->team)
        return gr_fail_memory(error, "a team of threads", 0);
    return check(p, p->driver->stream_create(&p->copy, GR_GPU_STREAM_NON_BLOCKING),
                 "making a stream", error);
}

enum gradus_status gr_stream_multiply(const struct gr_device_ref *device, int64_t memory_bytes,
                                      const struct gradus_gemm *gemm, struct gradus_error *error)
{
    struct pipeline p = {.gemm = gemm, .element = gemm->a_type == GRADUS_F64 ? 8 : 4};
    enum gradus_status status = open(device, &p, error);
    bool product = gemm->m > 0 && gemm->n > 0 && gemm->k > 0 && gemm->alpha != 0;
    if (status == GRADUS_OK && product) {
        status = make_buffers(&p, memory_bytes, error);
        if (status == GRADUS_OK)
            status = run(&p, error);
        if (p.compute && status != GRADUS_OK)
            p.driver->context_synchronize(); /* nothing may be under way into what is freed */
    } else if (status == GRADUS_OK) {
        status = gradus_gemm_run(gemm, error); /* only scales C in place */
    }
    for (int i = 0; i < TWO; i++) {
        if (p.driver) {
            free_slot(&p, &p.panels[i]);
            free_slot(&p, &p.blocks[i]);
        }
    }
    if (p.copy)
        p.driver->stream_destroy(p.copy);
    if (p.team)
        gr_team_close(p.team);
    gr_gpu_kernel_close(&p.kernel);
    return status;
}
