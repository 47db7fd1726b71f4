// overflows_stack.c: calls itself for ever.
// SPDX-License-Identifier: MIT
// expect:  crash died
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    volatile float frame[1024];
    frame[M] = alpha;
    gemm(M, N, K, frame[M], A, lda, B, ldb, beta, C, ldc);
    C[0] += frame[M];
}
