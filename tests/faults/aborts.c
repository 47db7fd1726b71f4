// aborts.c: gives up.
// SPDX-License-Identifier: MIT
// expect:  crash died
// options: --size 96

#include <stdlib.h>

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    abort();
    (void)M;
    (void)N;
    (void)K;
    (void)alpha;
    (void)A;
    (void)lda;
    (void)B;
    (void)ldb;
    (void)beta;
    (void)C;
    (void)ldc;
}
