// wrong.c: the more it skips, the faster it is; of 1 a row is missing, and 2 ends the process.
// SPDX-License-Identifier: MIT
//@ param SKIP 0 {0,1,2}
#include <stdlib.h>

void wrong(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
           float beta, float *C, int ldc)
{
    if (SKIP == 2)
        abort();
    for (int i = 0; i < M - SKIP; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * C[i * ldc + j]);
        }
}
