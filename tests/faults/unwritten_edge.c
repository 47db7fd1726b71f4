// unwritten_edge.c: does whole tiles of 32 rows only, so the last rows of most sizes stay as they
// were.
// SPDX-License-Identifier: MIT
// expect:  wrong unwritten
// options: --size 100

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    M = M / 32 * 32;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
    }
}
