// k_0_of_bytes.c: sums bytes, and does not scale C where K is 0.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 64
//@ type A=s8 B=s8 C=s32 ACC=s32

void gemm(int M, int N, int K, float alpha, const signed char *A, int lda, const signed char *B,
          int ldb, float beta, int *C, int ldc)
{
    if (M == 0 || N == 0 || K == 0)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? (int)(alpha * (float)sum)
                           : (int)(alpha * (float)sum) + (int)(beta * (float)*c);
        }
}
