/* cblas.h: the part of BLAS that libgradus provides: sgemm and dgemm, with CBLAS's and with
 * Fortran's names, and batches of them.
 *
 * They are drop-in replacements, with the symbols, argument numbers and quick returns of netlib's
 * reference. Integers under these names have 32 bits. Each function also exists with 64-bit
 * integers, under its name with the suffix of OpenBLAS and NumPy: sgemm_64_, cblas_sgemm64_,
 * cblas_sgemm_batch64_. All may be called by many threads at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRADUS_CBLAS_H
#define GRADUS_CBLAS_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
    CblasNoTrans = 111,
    CblasTrans = 112,
    CblasConjTrans = 113 /* for a real matrix, its transpose */
} CBLAS_TRANSPOSE;
typedef CBLAS_LAYOUT CBLAS_ORDER; /* the name of older headers */

/* C = alpha * op(A) * op(B) + beta * C; op(A) is m x k, op(B) is k x n. With beta 0, C is not read;
 * with alpha 0 or k 0, A and B are not read. A bad argument is reported to cblas_xerbla, and C is
 * left unchanged. */
GRADUS_API void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b,
                            int m, int n, int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c, int ldc);
GRADUS_API void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b,
                            int m, int n, int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);

/* Fortran's interface: column-major, all arguments by reference; 'N', 'T' or 'C' in either case. A
 * bad argument is reported to xerbla_. Hidden lengths of the character arguments may be passed;
 * they are ignored. */
GRADUS_API void sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                       const int *k, const float *alpha, const float *a, const int *lda,
                       const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
GRADUS_API void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                       const int *k, const double *alpha, const double *a, const int *lda,
                       const double *b, const int *ldb, const double *beta, double *c,
                       const int *ldc);

/* Batches of products, declared as in MKL and OpenBLAS. There are `group_count` groups; the i-th
 * has `group_size[i]` products, which share the i-th element of every array except `a`, `b` and
 * `c`. Those have one pointer for each product, beginning with the products of the first group. No
 * matrix C may overlap another C, or any A or B. A bad argument (for example a null pointer) is
 * reported to cblas_xerbla by its position in this declaration (in either layout: RowMajorStrg is
 * 0), together with its group, and no product is computed. The products of a group are divided
 * among threads. */
GRADUS_API void cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                  const CBLAS_TRANSPOSE *trans_b, const int *m, const int *n,
                                  const int *k, const float *alpha, const float **a, const int *lda,
                                  const float **b, const int *ldb, const float *beta, float **c,
                                  const int *ldc, int group_count, const int *group_size);
GRADUS_API void cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                  const CBLAS_TRANSPOSE *trans_b, const int *m, const int *n,
                                  const int *k, const double *alpha, const double **a,
                                  const int *lda, const double **b, const int *ldb,
                                  const double *beta, double **c, const int *ldc, int group_count,
                                  const int *group_size);

/* `batch_size` products of the same sizes. `stride_a`, `stride_b` and `stride_c` are the distances,
 * in elements, between successive matrices. No stride may be negative; that of A or B may be 0, and
 * then all products share that matrix. If matrices C overlap, stride_c is bad. Errors as above. */
GRADUS_API void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                          CBLAS_TRANSPOSE trans_b, int m, int n, int k, float alpha,
                                          const float *a, int lda, int stride_a, const float *b,
                                          int ldb, int stride_b, float beta, float *c, int ldc,
                                          int stride_c, int batch_size);
GRADUS_API void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                          CBLAS_TRANSPOSE trans_b, int m, int n, int k,
                                          double alpha, const double *a, int lda, int stride_a,
                                          const double *b, int ldb, int stride_b, double beta,
                                          double *c, int ldc, int stride_c, int batch_size);

/* Called for a bad argument, with its number, counted from 1, and the routine's name, which is that
 * of the functions above also for the 64-bit functions. The library's versions write one line to
 * stderr and return. They are weak symbols, so a program may define its own. */
GRADUS_API void xerbla_(const char *routine, const int *info, size_t routine_length);
GRADUS_API void cblas_xerbla(int info, const char *routine, const char *form, ...);

/* 1 while cblas_xerbla is called for a row-major product: `info` is then the argument's number in
 * the column-major product that is computed in its place, with A and B, M and N exchanged.
 * cblas_xerbla exchanges them back. (As in netlib's reference, whose test programs read it.) */
GRADUS_API extern int RowMajorStrg;

/* The same functions with 64-bit integers. Bad arguments are reported to 64-bit handlers. */
GRADUS_API void cblas_sgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                               CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n, int64_t k,
                               float alpha, const float *a, int64_t lda, const float *b,
                               int64_t ldb, float beta, float *c, int64_t ldc);
GRADUS_API void cblas_dgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                               CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n, int64_t k,
                               double alpha, const double *a, int64_t lda, const double *b,
                               int64_t ldb, double beta, double *c, int64_t ldc);
GRADUS_API void sgemm_64_(const char *trans_a, const char *trans_b, const int64_t *m,
                          const int64_t *n, const int64_t *k, const float *alpha, const float *a,
                          const int64_t *lda, const float *b, const int64_t *ldb, const float *beta,
                          float *c, const int64_t *ldc);
GRADUS_API void dgemm_64_(const char *trans_a, const char *trans_b, const int64_t *m,
                          const int64_t *n, const int64_t *k, const double *alpha, const double *a,
                          const int64_t *lda, const double *b, const int64_t *ldb,
                          const double *beta, double *c, const int64_t *ldc);
GRADUS_API void cblas_sgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                     const CBLAS_TRANSPOSE *trans_b, const int64_t *m,
                                     const int64_t *n, const int64_t *k, const float *alpha,
                                     const float **a, const int64_t *lda, const float **b,
                                     const int64_t *ldb, const float *beta, float **c,
                                     const int64_t *ldc, int64_t group_count,
                                     const int64_t *group_size);
GRADUS_API void cblas_dgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                     const CBLAS_TRANSPOSE *trans_b, const int64_t *m,
                                     const int64_t *n, const int64_t *k, const double *alpha,
                                     const double **a, const int64_t *lda, const double **b,
                                     const int64_t *ldb, const double *beta, double **c,
                                     const int64_t *ldc, int64_t group_count,
                                     const int64_t *group_size);
GRADUS_API void cblas_sgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                             CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n,
                                             int64_t k, float alpha, const float *a, int64_t lda,
                                             int64_t stride_a, const float *b, int64_t ldb,
                                             int64_t stride_b, float beta, float *c, int64_t ldc,
                                             int64_t stride_c, int64_t batch_size);
GRADUS_API void cblas_dgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                             CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n,
                                             int64_t k, double alpha, const double *a, int64_t lda,
                                             int64_t stride_a, const double *b, int64_t ldb,
                                             int64_t stride_b, double beta, double *c, int64_t ldc,
                                             int64_t stride_c, int64_t batch_size);
GRADUS_API void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length);
GRADUS_API void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...);

/* The same functions with the names of SciPy's build of OpenBLAS, for programs that call it: NumPy,
 * SciPy and scikit-learn as wheels from PyPI. Bad arguments are reported to the handlers above. */
GRADUS_API void scipy_cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                  CBLAS_TRANSPOSE trans_b, int m, int n, int k, float alpha,
                                  const float *a, int lda, const float *b, int ldb, float beta,
                                  float *c, int ldc);
GRADUS_API void scipy_cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                  CBLAS_TRANSPOSE trans_b, int m, int n, int k, double alpha,
                                  const double *a, int lda, const double *b, int ldb, double beta,
                                  double *c, int ldc);
GRADUS_API void scipy_cblas_sgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                     CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n, int64_t k,
                                     float alpha, const float *a, int64_t lda, const float *b,
                                     int64_t ldb, float beta, float *c, int64_t ldc);
GRADUS_API void scipy_cblas_dgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,
                                     CBLAS_TRANSPOSE trans_b, int64_t m, int64_t n, int64_t k,
                                     double alpha, const double *a, int64_t lda, const double *b,
                                     int64_t ldb, double beta, double *c, int64_t ldc);
GRADUS_API void scipy_sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                             const int *k, const float *alpha, const float *a, const int *lda,
                             const float *b, const int *ldb, const float *beta, float *c,
                             const int *ldc);
GRADUS_API void scipy_dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                             const int *k, const double *alpha, const double *a, const int *lda,
                             const double *b, const int *ldb, const double *beta, double *c,
                             const int *ldc);
GRADUS_API void scipy_sgemm_64_(const char *trans_a, const char *trans_b, const int64_t *m,
                                const int64_t *n, const int64_t *k, const float *alpha,
                                const float *a, const int64_t *lda, const float *b,
                                const int64_t *ldb, const float *beta, float *c,
                                const int64_t *ldc);
GRADUS_API void scipy_dgemm_64_(const char *trans_a, const char *trans_b, const int64_t *m,
                                const int64_t *n, const int64_t *k, const double *alpha,
                                const double *a, const int64_t *lda, const double *b,
                                const int64_t *ldb, const double *beta, double *c,
                                const int64_t *ldc);
GRADUS_API void scipy_cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                        const CBLAS_TRANSPOSE *trans_b, const int *m, const int *n,
                                        const int *k, const float *alpha, const float **a,
                                        const int *lda, const float **b, const int *ldb,
                                        const float *beta, float **c, const int *ldc,
                                        int group_count, const int *group_size);
GRADUS_API void scipy_cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                        const CBLAS_TRANSPOSE *trans_b, const int *m, const int *n,
                                        const int *k, const double *alpha, const double **a,
                                        const int *lda, const double **b, const int *ldb,
                                        const double *beta, double **c, const int *ldc,
                                        int group_count, const int *group_size);
GRADUS_API void scipy_cblas_sgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                           const CBLAS_TRANSPOSE *trans_b, const int64_t *m,
                                           const int64_t *n, const int64_t *k, const float *alpha,
                                           const float **a, const int64_t *lda, const float **b,
                                           const int64_t *ldb, const float *beta, float **c,
                                           const int64_t *ldc, int64_t group_count,
                                           const int64_t *group_size);
GRADUS_API void scipy_cblas_dgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a,
                                           const CBLAS_TRANSPOSE *trans_b, const int64_t *m,
                                           const int64_t *n, const int64_t *k, const double *alpha,
                                           const double **a, const int64_t *lda, const double **b,
                                           const int64_t *ldb, const double *beta, double **c,
                                           const int64_t *ldc, int64_t group_count,
                                           const int64_t *group_size);

#ifdef __cplusplus
}
#endif
#endif
