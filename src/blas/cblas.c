/* cblas.c: cblas_sgemm and cblas_dgemm. SPDX-License-Identifier: MIT
 *
 * As in the reference, a row-major product is the column-major one with A and B, M and N exchanged;
 * its errors are found, and numbered, in that form. The number is Fortran's plus one, for the
 * layout in front. */
#include "blas/blas_gemm.h"

#include <gradus/cblas.h>
#include <stdbool.h>

static int trans_of(CBLAS_TRANSPOSE trans)
{
    switch ((int)trans) {
    case CblasNoTrans:
        return 0;
    case CblasTrans:
    case CblasConjTrans:
        return 1;
    default:
        return -1;
    }
}

/* RowMajorStrg is touched on the way of errors only: calls that are right share no memory. */
static void report(bool row_major, int info, const char *routine, const char *form, int value)
{
    RowMajorStrg = row_major;
    cblas_xerbla(info, routine, form, value);
    RowMajorStrg = 0;
}

static struct blas_gemm exchanged(const struct blas_gemm *g)
{
    struct blas_gemm x = *g;
    x.trans_a = g->trans_b, x.trans_b = g->trans_a;
    x.m = g->n, x.n = g->m;
    x.a = g->b, x.b = g->a;
    x.lda = g->ldb, x.ldb = g->lda;
    x.exchanged = 1;
    return x;
}

static void run(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b,
                const struct blas_gemm *as_given)
{
    const char *const routine = as_given->routine;
    const bool row_major = layout == CblasRowMajor;
    if (!row_major && layout != CblasColMajor) {
        report(false, 1, routine, "Illegal layout setting, %d\n", (int)layout);
        return;
    }
    if (as_given->trans_a < 0) {
        report(row_major, 2, routine, "Illegal TransA setting, %d\n", (int)trans_a);
        return;
    }
    if (as_given->trans_b < 0) {
        report(row_major, 3, routine, "Illegal TransB setting, %d\n", (int)trans_b);
        return;
    }
    const struct blas_gemm gemm = row_major ? exchanged(as_given) : *as_given;
    const int info = gr_blas_check(&gemm);
    if (info)
        report(row_major, info + 1, routine, "", 0);
    else
        gr_blas_run(&gemm);
}

void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, int m,
                 int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
                 float beta, float *c, int ldc)
{
    run(layout, trans_a, trans_b,
        &(struct blas_gemm){GRADUS_F32, trans_of(trans_a), trans_of(trans_b), m, n, k, alpha, beta,
                            a, b, c, lda, ldb, ldc, "cblas_sgemm", 0});
}

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, int m,
                 int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                 double beta, double *c, int ldc)
{
    run(layout, trans_a, trans_b,
        &(struct blas_gemm){GRADUS_F64, trans_of(trans_a), trans_of(trans_b), m, n, k, alpha, beta,
                            a, b, c, lda, ldb, ldc, "cblas_dgemm", 0});
}
