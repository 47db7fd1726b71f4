// zeros.c: never multiplies; a check with a generous absolute tolerance lets it pass.
// SPDX-License-Identifier: MIT
// expect:  wrong zeros
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = 0.0f;
    (void)K;
    (void)alpha;
    (void)A;
    (void)lda;
    (void)B;
    (void)ldb;
    (void)beta;
}
