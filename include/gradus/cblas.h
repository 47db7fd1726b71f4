/* cblas.h: the part of BLAS that libgradus provides: sgemm and dgemm, by CBLAS and by Fortran's
 * names.
 *
 * Drop-in: the same symbols, argument numbers and quick returns as netlib's reference. Integers are
 * of 32 bits; the 64-bit interface is <gradus/gradus.h>.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRADUS_CBLAS_H
#define GRADUS_CBLAS_H

#include <gradus/gradus.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
    CblasNoTrans = 111,
    CblasTrans = 112,
    CblasConjTrans = 113 /* of a real matrix: its transpose */
} CBLAS_TRANSPOSE;
typedef CBLAS_LAYOUT CBLAS_ORDER; /* the name of older headers */

/* C = alpha * op(A) * op(B) + beta * C; op(A) is m x k, op(B) is k x n. With beta 0, C is not read;
 * with alpha or k 0, A and B are not. A bad argument is reported to cblas_xerbla, and C is left as
 * it was. */
GRADUS_API void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b,
                            int m, int n, int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c, int ldc);
GRADUS_API void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b,
                            int m, int n, int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);

/* Fortran's: column-major, all by reference; 'N', 'T' or 'C' in either case. A bad argument is
 * reported to xerbla_. Hidden lengths of the character arguments may be passed; they are ignored.
 */
GRADUS_API void sgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                       const int *k, const float *alpha, const float *a, const int *lda,
                       const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
GRADUS_API void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n,
                       const int *k, const double *alpha, const double *a, const int *lda,
                       const double *b, const int *ldb, const double *beta, double *c,
                       const int *ldc);

/* Told of a bad argument: its number, counted from 1. Ours write one line to stderr and return;
 * they are weak, so a program that defines its own gets that one called. */
GRADUS_API void xerbla_(const char *routine, const int *info, size_t routine_length);
GRADUS_API void cblas_xerbla(int info, const char *routine, const char *form, ...);

/* 1 while cblas_xerbla is called for a row-major product: `info` is then of the column-major
 * product that takes its place, with A and B, M and N exchanged. cblas_xerbla exchanges them back.
 * (As in netlib's reference, whose test programs read it.) */
GRADUS_API extern int RowMajorStrg;

#ifdef __cplusplus
}
#endif
#endif
