// 02_loop_order.c: the same three loops with j innermost. SPDX-License-Identifier: MIT
//@ title    Loop order, ikj
//@ after    01_naive
//@ idea     the innermost loop walks along rows of B and C, so every byte of a cache line is used
//@ type     f32, f64
//@ source   Golub and Van Loan, Matrix Computations, 1.1.11: the ikj (gaxpy) variant
//
// After 01_naive: loops j and k are exchanged. No tile, no parameters; any M, N, K.
// Intensity: 2 FLOP for a load of B, a load and a store of C: 0.17 FLOP/byte in f32. This is less
// than before, and yet the kernel is much faster: caches, prefetchers and vector units are made for
// consecutive addresses (this is what coalescing is on a GPU). It is bounded by B, which is read
// from L3 or memory once for each row of A: at 1024 in f32, 4 MB each of 1024 times.
//
//            k ->                  j ->                    j ->
//          +---------+           +---------+            +---------+
//     i -->|  *      |  A     k  |=========|  B    i -->|=========|  C += A[i,k] * row k of B
//          |         |           |         |            |         |
//          +---------+           +---------+            +---------+
#include <stdint.h>

static void scale_row(int64_t N, T beta, T *C)
{
    for (int64_t j = 0; j < N; j++)
        C[j] = beta != 0 ? beta * C[j] : 0;
}

void loop_order(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
                int64_t ldb, T beta, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++) {
        scale_row(N, beta, C + i * ldc);
        for (int64_t k = 0; k < K; k++) {
            const T a = alpha * A[i * lda + k];
            for (int64_t j = 0; j < N; j++)
                C[i * ldc + j] += a * B[k * ldb + j];
        }
    }
}
