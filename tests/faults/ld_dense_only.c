// ld_dense_only.c: reads dense rows, and says so: that is right, and was not tried with padding.
// SPDX-License-Identifier: MIT
// expect:  right note
// options: --size 96
//@ require lda==K && ldb==N && ldc==N

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * N + j];
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}
