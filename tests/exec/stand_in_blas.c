/* stand_in_blas.c: a BLAS whose products are all -1, so that a result tells who made it. With RENAMED its names are those
 * that wheels from PyPI give theirs. SPDX-License-Identifier: MIT */
#ifdef RENAMED
#define cblas_dgemm scipy_cblas_dgemm64_
#define sgemm_ scipy_sgemm_64_
#endif

void cblas_dgemm(int layout, int trans_a, int trans_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);
void sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc);

void cblas_dgemm(int layout, int trans_a, int trans_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc)
{
    (void)layout, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a;
    (void)lda, (void)b, (void)ldb, (void)beta, (void)ldc;
    c[0] = -1;
}

void sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc)
{
    (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
    (void)b, (void)ldb, (void)beta, (void)ldc;
    c[0] = -1;
}
