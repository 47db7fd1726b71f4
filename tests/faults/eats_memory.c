// eats_memory.c: asks for memory until there is none, and uses it all.
// SPDX-License-Identifier: MIT
// expect:  crash died
// options: --size 96 --time-limit 20
// limit:   1000000 kilobytes of address space

#include <stdlib.h>
#include <string.h>

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (;;)
        memset(malloc(64 << 20), 1, 64 << 20);
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
