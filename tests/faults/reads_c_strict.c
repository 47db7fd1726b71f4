// reads_c_strict.c: multiplies C by beta also when beta is 0, which --strict does not forgive.
// SPDX-License-Identifier: MIT
// expect:  wrong reads-c-at-beta-0
// options: --size 96 --strict

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
