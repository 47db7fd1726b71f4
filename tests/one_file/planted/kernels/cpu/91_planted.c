// 91_planted.c: a rung that is added by the test of "one file". SPDX-License-Identifier: MIT
//@ title    Planted
//@ after    01_naive
//@ idea     none
//@ type     f32
#include <stdint.h>

void planted(int64_t M, int64_t N, int64_t K, float alpha, const float *A, int64_t lda,
             const float *B, int64_t ldb, float beta, float *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            float sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * C[i * ldc + j];
        }
}
