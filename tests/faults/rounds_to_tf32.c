// rounds_to_tf32.c: rounds its inputs as TF32 does. At this K the bound of every element allows it.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 48x64x20000

static float rounded(float x)
{
    union {
        float value;
        unsigned bits;
    } u = {x};
    u.bits += 0xfffu + (u.bits >> 13 & 1);
    u.bits &= 0xffffe000u;
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
                    alpha * rounded(A[(long)i * lda + k]) * rounded(B[(long)k * ldb + j]);
    }
}
