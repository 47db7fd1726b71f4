/* fortran.c: sgemm_ and dgemm_. SPDX-License-Identifier: MIT */
#include "blas/blas_gemm.h"

#include <gradus/cblas.h>

static int trans_of(const char *letter)
{
    switch (*letter) {
    case 'N':
    case 'n':
        return 0;
    case 'T':
    case 't':
    case 'C':
    case 'c':
        return 1;
    default:
        return -1;
    }
}

/* Fortran pads names to six letters. */
static void run(const struct blas_gemm *gemm, const char name[6])
{
    const int info = gr_blas_check(gemm);
    if (info)
        xerbla_(name, &info, 6);
    else
        gr_blas_run(gemm);
}

void sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc)
{
    run(&(struct blas_gemm){GRADUS_F32, trans_of(trans_a), trans_of(trans_b), *m, *n, *k, *alpha,
                            *beta, a, b, c, *lda, *ldb, *ldc, "sgemm_", 0},
        "SGEMM ");
}

void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc)
{
    run(&(struct blas_gemm){GRADUS_F64, trans_of(trans_a), trans_of(trans_b), *m, *n, *k, *alpha,
                            *beta, a, b, c, *lda, *ldb, *ldc, "dgemm_", 0},
        "DGEMM ");
}
