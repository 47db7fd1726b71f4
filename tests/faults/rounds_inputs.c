// rounds_inputs.c: drops 16 bits of each element of A, as a fast mode would: the product of
// another precision than it claims.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 96

static float rounded(float x)
{
    union {
        float value;
        unsigned bits;
    } u = {x};
    u.bits &= 0xffff0000u;
    return u.value;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * rounded(A[i * lda + k]) * B[k * ldb + j];
    }
}
