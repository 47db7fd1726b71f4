// crashes.c: follows a null pointer.
// SPDX-License-Identifier: MIT
// expect:  crash died
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    *(volatile float *)0 = alpha;
    (void)M;
    (void)N;
    (void)K;
    (void)A;
    (void)lda;
    (void)B;
    (void)ldb;
    (void)beta;
    (void)C;
    (void)ldc;
}
