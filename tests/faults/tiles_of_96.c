// tiles_of_96.c: does whole tiles of 96 only: a `require` can say it.
// SPDX-License-Identifier: MIT
// expect:  right shape
// says:    //@ require M%96==0 && N%96==0
// options: --size 192

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < (M / 96 * 96); i++)
        for (int j = 0; j < (N / 96 * 96); j++) {
            float sum = 0.0f, *c = &C[i * ldc + j];
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}
