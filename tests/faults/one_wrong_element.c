// one_wrong_element.c: is off by one in one element of a C too large for a full reference.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 1100 --verify-only

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
    }
    C[(M / 3) * ldc + N / 2] += 1.0f;
}
