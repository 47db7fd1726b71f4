// 02_rows.c: a row of C grows by rows of B. SPDX-License-Identifier: MIT
//@ title    Rows | a title that is too long for a narrow terminal
//@ after    01_dot
//@ idea     the inner loop runs along a row, so that each cache line that is loaded is used whole
//@ type     f32
//@ param    BK 64 {32,64,128}
//@ let      HALF = BK/2
//@ require  K%BK==0 "the last block of rows would be short"
//@ source   any textbook
//
//        k            j
//     +-----+      +-----+
//   i | -   |    k |-----|
//     +-----+      +-----+

#include <stdint.h>

void rows(int64_t M, int64_t N, int64_t K, const float *A, int64_t lda, const float *B, int64_t ldb, float *C,
          int64_t ldc)
{
    for (int64_t i = 0; i < M; i++) {
        for (int64_t j = 0; j < N; j++)
            C[i * ldc + j] = 0;
        for (int64_t k0 = 0; k0 < K; k0 += BK)
            for (int64_t k = k0; k < k0 + BK; k++)
                for (int64_t j = 0; j < N; j++)
                    C[i * ldc + j] += A[i * lda + k] * B[k * ldb + j];
    }
}
