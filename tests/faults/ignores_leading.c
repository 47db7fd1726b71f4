// ignores_leading.c: reads and writes dense rows; its `require` excludes the padding that others are tried with.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 64
//@ require lda%16==0 && ldb%16==0 && ldc%16==0

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * N + j];
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}
