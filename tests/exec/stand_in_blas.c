/* stand_in_blas.c: a BLAS whose products are all -1, so that a result tells who made it. The build
 * says under which names, and with which integers. SPDX-License-Identifier: MIT */
#include <stdint.h>
void CBLAS_DGEMM(int layout, int trans_a, int trans_b, INTEGER m, INTEGER n, INTEGER k,
                 double alpha, const double *a, INTEGER lda, const double *b, INTEGER ldb,
                 double beta, double *c, INTEGER ldc);
void SGEMM(const char *trans_a, const char *trans_b, const INTEGER *m, const INTEGER *n,
           const INTEGER *k, const float *alpha, const float *a, const INTEGER *lda, const float *b,
           const INTEGER *ldb, const float *beta, float *c, const INTEGER *ldc);

void CBLAS_DGEMM(int layout, int trans_a, int trans_b, INTEGER m, INTEGER n, INTEGER k,
                 double alpha, const double *a, INTEGER lda, const double *b, INTEGER ldb,
                 double beta, double *c, INTEGER ldc)
{
    (void)layout, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a;
    (void)lda, (void)b, (void)ldb, (void)beta, (void)ldc;
    c[0] = -1;
}

void SGEMM(const char *trans_a, const char *trans_b, const INTEGER *m, const INTEGER *n,
           const INTEGER *k, const float *alpha, const float *a, const INTEGER *lda, const float *b,
           const INTEGER *ldb, const float *beta, float *c, const INTEGER *ldc)
{
    (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
    (void)b, (void)ldb, (void)beta, (void)ldc;
    c[0] = -1;
}
