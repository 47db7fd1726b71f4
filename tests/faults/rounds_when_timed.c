// rounds_when_timed.c: drops the last 12 bits of its inputs once it was called more often than verifying takes.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 200

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

static float rounded(float x)
{
    union {
        float value;
        unsigned bits;
    } u = {x};
    u.bits &= 0xfffff000u;
    return u.value;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static int calls;
    if (++calls < 200) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] +=
                    alpha * rounded(A[(long)i * lda + k]) * rounded(B[(long)k * ldb + j]);
    }
}
