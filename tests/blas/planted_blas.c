/* planted_blas.c: BLAS's GEMM with a fault in each function, preloaded before the library: what a
 * test of BLAS must find. SPDX-License-Identifier: MIT */
#include <gradus/cblas.h>

#include <dlfcn.h>

/* Sets a function pointer to the same function in the library behind this one. */
#define BEHIND(pointer, name) (*(void **)&(pointer) = dlsym(RTLD_NEXT, name))

/* A rounding of one element of C that is 100 times too coarse. */
void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc)
{
    void (*behind)(const char *, const char *, const int *, const int *, const int *, const float *,
                   const float *, const int *, const float *, const int *, const float *, float *,
                   const int *);
    if (BEHIND(behind, "sgemm_"))
        behind(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (*m == 9 && *n == 9 && *ldc >= 9)
        c[8 + 8 * (int64_t)*ldc] *= 1.0001F;
}

/* A bad ldc goes unreported. */
void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc)
{
    void (*behind)(const char *, const char *, const int *, const int *, const int *,
                   const double *, const double *, const int *, const double *, const int *,
                   const double *, double *, const int *);
    if (*ldc >= *m && BEHIND(behind, "dgemm_"))
        behind(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Row-major is taken for column-major where all is square. */
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc)
{
    void (*behind)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float,
                   const float *, int, const float *, int, float, float *, int);
    if (m == n && n == k && m == 9)
        layout = CblasColMajor;
    if (BEHIND(behind, "cblas_sgemm"))
        behind(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* The numbers of a row-major call are reported as they were given: M as 4, where 5 is owed. */
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta,
                 double *c, int ldc)
{
    void (*behind)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, double,
                   const double *, int, const double *, int, double, double *, int);
    if (layout == CblasRowMajor && m < 0) {
        RowMajorStrg = 1;
        cblas_xerbla(4, "cblas_dgemm", "");
        RowMajorStrg = 0;
    } else if (BEHIND(behind, "cblas_dgemm")) {
        behind(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}
