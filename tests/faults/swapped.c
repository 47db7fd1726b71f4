// swapped.c: multiplies B by A.
// SPDX-License-Identifier: MIT
// expect:  wrong transposed
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum += B[i * ldb + k] * A[k * lda + j];
            C[i * ldc + j] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[i * ldc + j];
        }
}
