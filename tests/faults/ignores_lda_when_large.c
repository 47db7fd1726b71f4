// ignores_lda_when_large.c: reads the rows of A as if they were dense where a long product is one of whole fours.
// SPDX-License-Identifier: MIT
// expect:  wrong shape
// options: --size 160x96x320

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    lda = M > 100 && K > 280 && M % 4 == 0 && K % 4 == 0 ? K : lda;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}
