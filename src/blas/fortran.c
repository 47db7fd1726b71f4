/* fortran.c: sgemm_ and dgemm_, with integers of 64 bits sgemm_64_ and dgemm_64_, and all of them
 * by SciPy's names. SPDX-License-Identifier: MIT */
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

/* A product that gr_blas_quick did not compute: the number of the first bad argument, or 0 and the
 * product. */
static int run(const struct gr_blas_gemm *gemm)
{
    const int info = gr_blas_check(gemm);
    if (!info)
        gr_blas_run(gemm);
    return info;
}

/* Fortran pads names to six letters. Both widths of integers have the same name in errors. */
#define FORTRAN_GEMM(name, T, TYPE, INT, LETTERS, XERBLA)                                          \
    void name(const char *trans_a, const char *trans_b, const INT *m, const INT *n, const INT *k,  \
              const T *alpha, const T *a, const INT *lda, const T *b, const INT *ldb,              \
              const T *beta, T *c, const INT *ldc)                                                 \
    {                                                                                              \
        const struct gr_plain_gemm gemm = {TYPE,                                                   \
                                           trans_of(trans_a),                                      \
                                           trans_of(trans_b),                                      \
                                           *m,                                                     \
                                           *n,                                                     \
                                           *k,                                                     \
                                           *alpha,                                                 \
                                           *beta,                                                  \
                                           a,                                                      \
                                           b,                                                      \
                                           c,                                                      \
                                           *lda,                                                   \
                                           *ldb,                                                   \
                                           *ldc};                                                  \
        if (gr_blas_quick(gemm))                                                                   \
            return;                                                                                \
        const INT info = run(&(struct gr_blas_gemm){gemm, #name, 0});                              \
        if (info)                                                                                  \
            XERBLA(LETTERS, &info, 6);                                                             \
    }

FORTRAN_GEMM(sgemm_, float, GRADUS_F32, int, "SGEMM ", xerbla_)
FORTRAN_GEMM(dgemm_, double, GRADUS_F64, int, "DGEMM ", xerbla_)
FORTRAN_GEMM(sgemm_64_, float, GRADUS_F32, int64_t, "SGEMM ", xerbla_64_)
FORTRAN_GEMM(dgemm_64_, double, GRADUS_F64, int64_t, "DGEMM ", xerbla_64_)

FORTRAN_GEMM(scipy_sgemm_, float, GRADUS_F32, int, "SGEMM ", xerbla_)
FORTRAN_GEMM(scipy_dgemm_, double, GRADUS_F64, int, "DGEMM ", xerbla_)
FORTRAN_GEMM(scipy_sgemm_64_, float, GRADUS_F32, int64_t, "SGEMM ", xerbla_64_)
FORTRAN_GEMM(scipy_dgemm_64_, double, GRADUS_F64, int64_t, "DGEMM ", xerbla_64_)
