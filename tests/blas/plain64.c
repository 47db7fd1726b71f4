/* plain64.c: BLAS's plain names with integers of 64 bits, as netlib's 64-bit test programs call
 * them, handed on to the library's suffixed names; and its suffixed error handlers, handed on to
 * the programs' plain ones. SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The programs' own. */
void xerbla_(const char *routine, const int64_t *info, size_t routine_length);
void cblas_xerbla(int64_t info, const char *routine, const char *form, ...);

void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length);
void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length)
{
    xerbla_(routine, info, routine_length);
}

void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...);
void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...)
{
    char text[256];
    va_list args;
    va_start(args, form);
    vsnprintf(text, sizeof text, form, args);
    va_end(args);
    cblas_xerbla(info, routine, "%s", text);
}

#define FORTRAN(plain, wide, T)                                                                    \
    void wide(const char *ta, const char *tb, const int64_t *m, const int64_t *n,                  \
              const int64_t *k, const T *alpha, const T *a, const int64_t *lda, const T *b,        \
              const int64_t *ldb, const T *beta, T *c, const int64_t *ldc);                        \
    void plain(const char *ta, const char *tb, const int64_t *m, const int64_t *n,                 \
               const int64_t *k, const T *alpha, const T *a, const int64_t *lda, const T *b,       \
               const int64_t *ldb, const T *beta, T *c, const int64_t *ldc);                       \
    void plain(const char *ta, const char *tb, const int64_t *m, const int64_t *n,                 \
               const int64_t *k, const T *alpha, const T *a, const int64_t *lda, const T *b,       \
               const int64_t *ldb, const T *beta, T *c, const int64_t *ldc)                        \
    {                                                                                              \
        wide(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
    }

FORTRAN(sgemm_, sgemm_64_, float)
FORTRAN(dgemm_, dgemm_64_, double)

#define CBLAS(plain, wide, T)                                                                      \
    void wide(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, T alpha, const T *a,    \
              int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc);                    \
    void plain(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, T alpha, const T *a,   \
               int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc);                   \
    void plain(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, T alpha, const T *a,   \
               int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc)                    \
    {                                                                                              \
        wide(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                        \
    }

CBLAS(cblas_sgemm, cblas_sgemm64_, float)
CBLAS(cblas_dgemm, cblas_dgemm64_, double)
