// reads_c.c: multiplies C by beta also when beta is 0, so that NaN in a fresh C stays. It is right
// otherwise.
// SPDX-License-Identifier: MIT
// expect:  right reads-c-at-beta-0
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + beta * C[i * ldc + j];
        }
}
