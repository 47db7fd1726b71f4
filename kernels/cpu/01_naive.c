// 01_naive.c: the definition of the product, one element of C after the other.
// SPDX-License-Identifier: MIT
//@ title    Naive, ijk
//@ idea     C[i,j] is a dot product of a row of A and a column of B
//@ type     f32, f64
//@ source   Golub and Van Loan, Matrix Computations, 1.1.10: the ijk variant
//
// First rung. No tile, no parameters; any M, N, K.
// Intensity: 2 FLOP for 2 loads, 0.25 FLOP/byte in f32 (0.125 in f64). It is bounded by the loads
// down a column of B: each of them touches another cache line and uses 4 of its 64 bytes; and if
// rows are 4096 bytes apart (N = 1024), each is in another page and in the same few cache sets. In
// addition, each sum waits for the one before it: 4 cycles of latency for 2 FLOP.
//
//            k ->                    j                       j
//          +---------+           +---|-----+            +---------+
//     i -->|=========|  A      k |   |     |  B    i -->|   *     |  C
//          |         |         | |   |     |            |         |
//          +---------+         v +---|-----+            +---------+
#include <stdint.h>

void naive(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
           int64_t ldb, T beta, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            T sum = 0;
            for (int64_t k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            // If beta is 0, C is written but never read: it may hold NaN.
            C[i * ldc + j] = alpha * sum + (beta != 0 ? beta * C[i * ldc + j] : 0);
        }
}
