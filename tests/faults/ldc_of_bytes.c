// ldc_of_bytes.c: sums bytes, and writes dense rows.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 64
//@ type A=u8 B=s8 C=s32 ACC=s32
//@ require ldc%16==0 && lda==K && ldb==N

void gemm(int M, int N, int K, float alpha, const unsigned char *A, int lda, const signed char *B,
          int ldb, float beta, int *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0, *c = &C[i * N + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? (int)(alpha * (float)sum)
                           : (int)(alpha * (float)sum) + (int)(beta * (float)*c);
        }
}
