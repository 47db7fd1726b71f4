// rounds_some_columns.c: rounds its inputs to TF32 in every second column of C.
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
                    alpha * A[(long)i * lda + k] *
                    (j % 2 ? B[(long)k * ldb + j] : rounded(B[(long)k * ldb + j]));
    }
}
