// writes_between_rows.c: writes into the padding between rows, where there is some, and nowhere else.
// SPDX-License-Identifier: MIT
// expect:  wrong wrote-outside
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        if (N > 0 && i + 1 < M && ldc > N)
            C[i * ldc + N] = 1.0f;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
    }
}
