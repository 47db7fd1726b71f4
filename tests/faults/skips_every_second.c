// skips_every_second.c: multiplies every second time only, once it was called more often than verifying takes.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 64

static void multiply(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
    }
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static int calls;
    if (++calls < 200 || calls % 2)
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
