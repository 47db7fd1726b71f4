// sum_not_set.c: the sum begins at whatever was in its register. Sanitizers do not see that; the compiler does.
// SPDX-License-Identifier: MIT
// expect:  wrong note
// says:    the compiler warns
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
          int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + (beta != 0 ? beta * C[i * ldc + j] : 0);
        }
}
