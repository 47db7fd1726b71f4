// endless.c: never returns.
// SPDX-License-Identifier: MIT
// expect:  timeout died
// options: --size 96 --time-limit 2

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (volatile int turning = 1; turning;)
        continue;
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
