/* gemm_plain.c: small products as BLAS asks for them, by the shortest way. SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/gemm.h"

/* Beyond this the cost of a call does not show; within it no sizes and distances overflow. */
enum { LONGEST = 128, FARTHEST = 1 << 30 };

static bool is_plain(const struct gr_plain_gemm *g)
{
    const uint64_t sizes = (uint64_t)(g->m | g->n | g->k);
    const uint64_t distances = (uint64_t)(g->lda | g->ldb | g->ldc);
    return sizes < LONGEST && distances < FARTHEST && g->m && g->n && g->k && g->alpha != 0 &&
           g->a && g->b && g->c;
}

/* The column-major product as the row-major C' = B' A'. */
static void describe(const struct gr_plain_gemm *g, struct product *p)
{
    const int64_t bytes = g->type == GRADUS_F32 ? 4 : 8;
    p->a_type = p->b_type = p->c_type = p->sum_type = g->type;
    p->bytes = p->a_bytes = p->b_bytes = p->c_bytes = bytes;
    p->m = g->n;
    p->n = g->m;
    p->k = g->k;
    p->a = g->b;
    p->b = g->a;
    p->c = g->c;
    p->a_row = g->trans_b ? 1 : g->ldb;
    p->a_col = g->trans_b ? g->ldb : 1;
    p->b_row = g->trans_a ? 1 : g->lda;
    p->b_col = g->trans_a ? g->lda : 1;
    p->ldc = g->ldc;
    if (bytes == 4) {
        p->alpha.f32 = (float)g->alpha;
        p->beta.f32 = (float)g->beta;
    } else {
        p->alpha.f64 = g->alpha;
        p->beta.f64 = g->beta;
    }
}

bool gr_cpu_gemm_plain(const struct gr_plain_gemm *g)
{
    if (!is_plain(g))
        return false;
    struct product p = {0};
    describe(g, &p);
    return gr_gemm_prepare_float(&p, g->type == GRADUS_F32 ? GR_F32 : GR_F64, NULL) &&
           gr_gemm_small(&p);
}
