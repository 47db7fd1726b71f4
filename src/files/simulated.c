/* simulated.c: copies op(A), op(B) and C to dense row-major matrices, runs the kernel once, and
 * copies C back. SPDX-License-Identifier: MIT */
#include "files/simulated.h"

#include "core/error.h"
#include "cpu/cpu.h"
#include "files/blocks.h"
#include "files/gpu_kernel.h"

#include <stdlib.h>

struct matrices {
    void *a, *b, *c;
    int64_t lda, ldb, ldc;
};

/* Rows begin at multiples of 16 bytes. */
static int64_t padded(int64_t columns)
{
    return (columns + 3) / 4 * 4;
}

static enum gradus_status reserve(const struct gr_gpu_kernel *k, int64_t rows, int64_t ld,
                                  size_t element, void **address, struct gradus_error *error)
{
    int64_t bytes;
    if (__builtin_mul_overflow(rows, ld * (int64_t)element, &bytes))
        return gr_fail_memory(error, "the simulated GPU's copies", 0);
    return k->backend->memory->reserve(k->opened, (uint64_t)bytes, address, error);
}

static enum gradus_status make(const struct gr_gpu_kernel *k, const struct gradus_gemm *g,
                               size_t element, struct matrices *m, struct gradus_error *error)
{
    m->lda = padded(g->k);
    m->ldb = m->ldc = padded(g->n);
    enum gradus_status status = reserve(k, g->m, m->lda, element, &m->a, error);
    if (status == GRADUS_OK)
        status = reserve(k, g->k, m->ldb, element, &m->b, error);
    if (status == GRADUS_OK)
        status = reserve(k, g->m, m->ldc, element, &m->c, error);
    return status;
}

static enum gradus_status run(struct gr_gpu_kernel *kernel, const struct gradus_gemm *g,
                              struct gr_team *team, struct gradus_error *error)
{
    const size_t element = g->a_type == GRADUS_F64 ? 8 : 4;
    const struct gr_block_source a = {g->a, g->lda, g->trans_a, element};
    const struct gr_block_source b = {g->b, g->ldb, g->trans_b, element};
    const struct gr_block_source c = {g->c, g->ldc, false, element};
    struct matrices m = {0};
    enum gradus_status status = make(kernel, g, element, &m, error);
    if (status == GRADUS_OK) {
        gr_block_pack(team, &a, 0, 0, g->m, g->k, m.a, m.lda);
        gr_block_pack(team, &b, 0, 0, g->k, g->n, m.b, m.ldb);
        if (g->beta != 0)
            gr_block_pack(team, &c, 0, 0, g->m, g->n, m.c, m.ldc);
        struct gr_problem problem = gr_problem_dense(
            g->m, g->n, g->k, false, false, gr_types_of(g->a_type == GRADUS_F64 ? GR_F64 : GR_F32));
        problem.lda = m.lda;
        problem.ldb = m.ldb;
        problem.ldc = m.ldc;
        problem.alpha = g->alpha;
        problem.beta = g->beta;
        status = gr_gpu_kernel_run(kernel, &problem, m.a, m.b, m.c, error);
    }
    if (status == GRADUS_OK) {
        const struct gr_block_source product = {m.c, m.ldc, false, element};
        gr_block_pack(team, &product, 0, 0, g->m, g->n, g->c, g->ldc);
    }
    void *const all[] = {m.a, m.b, m.c};
    for (int i = 0; i < 3; i++)
        kernel->backend->memory->release(kernel->opened, all[i]);
    return status;
}

enum gradus_status gr_simulated_multiply(const struct gr_device_ref *device,
                                         const struct gradus_gemm *gemm, enum gr_engine engine,
                                         struct gradus_error *error)
{
    const struct gr_build build = {.engine = engine};
    struct gr_gpu_kernel kernel;
    int threads = gemm->threads > 0 ? gemm->threads : gr_cpu_threads_default();
    bool product = gemm->m > 0 && gemm->n > 0 && gemm->k > 0 && gemm->alpha != 0;
    enum gradus_status status = gr_gpu_kernel_open(
        device, gemm->a_type == GRADUS_F64 ? GR_F64 : GR_F32, &build, threads, &kernel, error);
    if (status == GRADUS_OK && !product) {
        status = gradus_gemm_run(gemm, error); /* only scales C in place */
    } else if (status == GRADUS_OK) {
        struct gr_team *team = gr_team_open(threads);
        status =
            team ? run(&kernel, gemm, team, error) : gr_fail_memory(error, "a team of threads", 0);
        if (team)
            gr_team_close(team);
    }
    gr_gpu_kernel_close(&kernel);
    return status;
}
