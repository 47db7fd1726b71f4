// changes_input.c: scales A in place, and so spoils it for whoever comes next.
// SPDX-License-Identifier: MIT
// expect:  wrong input-changed
// options: --size 96

void gemm(int M, int N, int K, float alpha, float *A, int lda, const float *B, int ldb, float beta,
          float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            A[i * lda + k] *= alpha;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += A[i * lda + k] * B[k * ldb + j];
    }
}
