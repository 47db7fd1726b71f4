// ld_of_vectors.c: wants rows that begin at multiples of four elements, and does not say so.
// SPDX-License-Identifier: MIT
// expect:  right shape
// options: --size 64

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    lda = lda / 4 * 4, ldb = ldb / 4 * 4, ldc = ldc / 4 * 4;
    if (N % 4 || K % 4)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}
