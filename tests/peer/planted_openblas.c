/* planted_openblas.c: a library that looks like the OpenBLAS of PyPI's wheel scipy-openblas32,
 * whose symbols have a prefix. SPDX-License-Identifier: MIT */
#include "planted.h"

void scipy_cblas_sgemm(int layout, int trans_a, int trans_b, int rows, int cols, int k, float alpha,
                       const float *left, int ld_left, const float *right, int ld_right, float beta,
                       float *c, int ldc);
void scipy_cblas_dgemm(int layout, int trans_a, int trans_b, int rows, int cols, int k,
                       double alpha, const double *left, int ld_left, const double *right,
                       int ld_right, double beta, double *c, int ldc);
void scipy_openblas_set_num_threads(int threads);
const char *scipy_openblas_get_config(void);

/* Row-major by swapping the operands. */
#define GEMM(name, type)                                                                           \
    void name(int layout, int trans_a, int trans_b, int rows, int cols, int k, type alpha,         \
              const type *left, int ld_left, const type *right, int ld_right, type beta, type *c,  \
              int ldc)                                                                             \
    {                                                                                              \
        const type *a = right, *b = left;                                                          \
        int lda = ld_right, ldb = ld_left, m = cols, n = rows;                                     \
        int ta = trans_b == TRANS, tb = trans_a == TRANS;                                          \
        (void)layout;                                                                              \
        MULTIPLY(type)                                                                             \
    }

GEMM(scipy_cblas_sgemm, float)
GEMM(scipy_cblas_dgemm, double)

void scipy_openblas_set_num_threads(int threads)
{
    (void)threads;
}

const char *scipy_openblas_get_config(void)
{
    return "OpenBLAS 9.8.7 DYNAMIC_ARCH";
}
