/* gemm.c: from a struct gradus_gemm to the code that multiplies it. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include "base/error.h"
#include "cpu/cpu.h"

#include <stddef.h>
#include <string.h>

/* Below this many multiply-adds, waking a second thread takes longer than it saves. */
static const double THREADS_PAY = 96.0 * 96.0 * 96.0;

/* Whoever runs a micro-kernel of AVX2 or more runs AVX2. */
static void choose_packing(struct product *p)
{
    p->pack_f32 = gr_pack_f32;
    p->pack_f64 = gr_pack_f64;
#if defined(__x86_64__)
    if (strncmp(p->ukr->isa, "avx", 3) == 0) {
        p->pack_f32 = gr_pack_f32_avx2;
        p->pack_f64 = gr_pack_f64_avx2;
    }
#endif
}

/* Row-major from here on: a column-major product is C' = B' A', the same memory read as transposes.
 */
static struct product product_of(const struct gradus_gemm *g, const struct ukr *ukr)
{
    const bool col = g->layout == GRADUS_COL_MAJOR;
    struct product p = {
        .ukr = ukr,
        .bytes = g->type == GRADUS_F32 ? 4 : 8,
        .m = col ? g->n : g->m,
        .n = col ? g->m : g->n,
        .k = g->k,
        .a = col ? g->b : g->a,
        .b = col ? g->a : g->b,
        .c = g->c,
        .ldc = g->ldc,
    };
    const int64_t lda = col ? g->ldb : g->lda, ldb = col ? g->lda : g->ldb;
    const bool turn_a = col ? g->trans_b : g->trans_a, turn_b = col ? g->trans_a : g->trans_b;
    p.a_row = turn_a ? 1 : lda;
    p.a_col = turn_a ? lda : 1;
    p.b_row = turn_b ? 1 : ldb;
    p.b_col = turn_b ? ldb : 1;
    if (g->type == GRADUS_F32) {
        p.alpha.f32 = (float)g->alpha;
        p.beta.f32 = (float)g->beta;
    } else {
        p.alpha.f64 = g->alpha;
        p.beta.f64 = g->beta;
    }
    choose_packing(&p);
    return p;
}

static bool alpha_is_zero(const struct product *p)
{
    return p->bytes == 4 ? p->alpha.f32 == 0 : p->alpha.f64 == 0;
}

/* There when the program itself uses OpenMP. */
extern int omp_in_parallel(void) __attribute__((weak));

/* Inside a caller's parallel region the cores are taken. Threads that other products hold are not
 * counted on either: two callers at once share the cores. */
static int threads_for(const struct gradus_gemm *g)
{
    if ((double)g->m * (double)g->n * (double)g->k <= THREADS_PAY)
        return 1;
    if (g->threads)
        return g->threads;
    if (omp_in_parallel && omp_in_parallel())
        return 1;
    const int free_threads = gr_cpu_threads_default() - gr_workspace_busy_threads();
    return free_threads > 1 ? free_threads : 1;
}

/* Without memory for a workspace, an empty one serves: the loops then use the stack. */
static void multiply(const struct product *p, int threads)
{
    struct workspace *workspace = gr_workspace_take(threads);
    struct workspace none = {0};
    gr_gemm_packed(p, workspace ? workspace : &none);
    if (workspace)
        gr_workspace_give(workspace);
}

enum gradus_status gr_cpu_gemm(const struct gradus_gemm *gemm, const char *isa,
                               struct gradus_error *error)
{
    const enum gradus_status status = gr_gemm_validate(gemm, error);
    if (status)
        return status;
    if (gemm->m == 0 || gemm->n == 0)
        return GRADUS_OK;
    const struct ukr *ukr = gr_ukr_pick(gemm->type == GRADUS_F32 ? GR_F32 : GR_F64, isa);
    if (!ukr)
        return gr_fail(error, GRADUS_UNSUPPORTED, "no micro-kernel for %s",
                       isa ? isa : gr_cpu_isa());
    const struct product p = product_of(gemm, ukr);
    if (p.k == 0 || alpha_is_zero(&p))
        gr_gemm_scale(&p);
    else if (gr_gemm_is_small(&p))
        gr_gemm_small(&p);
    else
        multiply(&p, threads_for(gemm));
    return GRADUS_OK;
}
