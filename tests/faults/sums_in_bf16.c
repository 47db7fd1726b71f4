// sums_in_bf16.c: keeps its sums in bf16.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 40

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
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum = rounded(sum + rounded(A[(long)i * lda + k]) * rounded(B[(long)k * ldb + j]));
            C[(long)i * ldc + j] =
                beta == 0.0f ? alpha * sum : alpha * sum + beta * C[(long)i * ldc + j];
        }
}
