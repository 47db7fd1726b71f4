// 01_dot.c: each element of C is one dot product. SPDX-License-Identifier: MIT
//@ title    Dot products
//@ idea     C[i,j] is the sum of A[i,k] * B[k,j]
//@ type     f32, f64
//@ source   any textbook
//
//        k            j
//     +-----+      +-----+
//   i |-----|    k |  |  |
//     +-----+      +-----+

#include <stdint.h>

void dot(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
         T beta, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            T sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * C[i * ldc + j]);
        }
}
