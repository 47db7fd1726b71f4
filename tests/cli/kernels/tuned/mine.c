// mine.c: WASTE times the work of a product; the values of SAME make the same code.
// SPDX-License-Identifier: MIT
//@ param   WASTE 6 {1,6}, SAME 0 {0,1}
//@ require WASTE*SAME<6 "one of the four is left out"
void mine(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    float sums[1024];
    for (int i = 0; i < M; i++) {
        for (volatile int again = 0; again < WASTE; again++) {
            for (int j = 0; j < N; j++)
                sums[j] = 0;
            for (int k = 0; k < K; k++)
                for (int j = 0; j < N; j++)
                    sums[j] += A[i * lda + k] * B[k * ldb + j];
        }
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = alpha * sums[j] + (beta == 0 ? 0 : beta * C[i * ldc + j]);
    }
}
