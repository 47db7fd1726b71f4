/* planted.c: a library that looks like AMD's BLIS. It calls its own sgemm_ through the symbol
 * table, as BLIS does, tells a variable of its environment as its version, and is wrong with
 * PLANTED_WRONG. SPDX-License-Identifier: MIT */
#include "planted.h"

#include <stdlib.h>

int needed_number(void);
void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc);
void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int layout, int ta, int tb, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc);
void bli_thread_set_num_threads(long threads);
const char *bli_info_get_version_str(void);

static void multiply_f32(int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                         const float *b, int ldb, float beta, float *c, int ldc)
{
    MULTIPLY(float)
}

void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc)
{
#ifdef PLANTED_WRONG
    multiply_f32(*tb == 'N', *ta == 'N', *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
#else
    multiply_f32(*ta == 'T', *tb == 'T', *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
#endif
}

/* Row-major by swapping the operands. */
void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    (void)layout;
    sgemm_(tb == TRANS ? "T" : "N", ta == TRANS ? "T" : "N", &n, &m, &k, &alpha, b, &ldb, a, &lda,
           &beta, c, &ldc);
}

void cblas_dgemm(int layout, int trans_a, int trans_b, int rows, int cols, int k, double alpha,
                 const double *left, int ld_left, const double *right, int ld_right, double beta,
                 double *c, int ldc)
{
    (void)layout;
    int ta = trans_b == TRANS, tb = trans_a == TRANS, m = cols, n = rows;
    int lda = ld_right, ldb = ld_left;
    const double *a = right, *b = left;
    MULTIPLY(double)
}

void bli_thread_set_num_threads(long threads)
{
    (void)threads;
}

const char *bli_info_get_version_str(void)
{
    static char text[32];
    const char *threads = getenv("BLIS_NUM_THREADS");
#ifdef PLANTED_WRONG
    text[0] = 0;
#else
    text[0] = (char)('0' + needed_number());
#endif
    text[1] = '.';
    text[2] = threads ? threads[0] : '-';
    return text;
}
