// rounds_b_to_bf16.c: rounds B, and B alone, to bf16. At this K the bound of every element allows it.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 32x48x80000

static float rounded(float x)
{
    union {
        float value;
        unsigned bits;
    } u = {x};
    u.bits += 0x7fffu + (u.bits >> 16 & 1);
    u.bits &= 0xffff0000u;
    return u.value;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] +=
                    alpha * A[(long)i * lda + k] * rounded(B[(long)k * ldb + j]);
    }
}
