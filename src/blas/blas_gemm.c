/* blas_gemm.c: BLAS's argument checks, in BLAS's order. SPDX-License-Identifier: MIT */
#include "blas/blas_gemm.h"

static int at_least_1(int x)
{
    return x > 1 ? x : 1;
}

int gr_blas_check(const struct blas_gemm *g)
{
    const int rows_a = g->trans_a ? g->k : g->m, rows_b = g->trans_b ? g->n : g->k;
    if (g->trans_a < 0)
        return 1;
    if (g->trans_b < 0)
        return 2;
    if (g->m < 0)
        return 3;
    if (g->n < 0)
        return 4;
    if (g->k < 0)
        return 5;
    if (g->lda < at_least_1(rows_a))
        return 8;
    if (g->ldb < at_least_1(rows_b))
        return 10;
    if (g->ldc < at_least_1(g->m))
        return 13;
    return 0;
}

/* What can still fail is a null pointer, for which BLAS has no report: nothing is computed then. */
void gr_blas_run(const struct blas_gemm *g)
{
    const struct gradus_gemm gemm = {.type = g->type,
                                     .layout = GRADUS_COL_MAJOR,
                                     .trans_a = g->trans_a,
                                     .trans_b = g->trans_b,
                                     .m = g->m,
                                     .n = g->n,
                                     .k = g->k,
                                     .alpha = g->alpha,
                                     .beta = g->beta,
                                     .a = g->a,
                                     .lda = g->lda,
                                     .b = g->b,
                                     .ldb = g->ldb,
                                     .c = g->c,
                                     .ldc = g->ldc};
    gradus_gemm_run(&gemm, 0);
}
