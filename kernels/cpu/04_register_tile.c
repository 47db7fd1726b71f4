// 04_register_tile.c: a small block of C stays in registers during the loop over k.
// SPDX-License-Identifier: MIT
//@ title    Register tiling
//@ after    03_cache_tile
//@ idea     TM*TN sums live in registers: TM + TN loads feed TM*TN multiply-adds
//@ type     f32, f64
//@ param    TN 16 {8,16,32}, BN 512 {128,256,512}, BK 128 {64,128,256}
//@ let      TM = 4
//@ source   Whaley and Dongarra 1998, ATLAS: register blocking
//
// After 03_cache_tile: inside a tile, i and j advance in steps of TM and TN, and k is the innermost
// loop.
// Tile: TM x TN sums; 4 x 16 is 64 sums. BN is a multiple of TN. Edges: shorter loops, whose sums
// are in memory.
// Intensity: TM*TN multiply-adds for TM + TN loads: 2*4*16 / (4*(4+16)) = 1.6 FLOP/byte in f32, six
// times that of the naive rung. The compiler chooses here how many of the sums are in vector
// registers.
//
//                k ->                  j  j+TN                   j  j+TN
//            +---------+            +--|---|--+             +--|---|--+
//       i -->|========>|            |  |===|  | k      i -->|  |sum|  |
//       i+TM |========>| A          |  | | |  | |      i+TM |--+---+--|
//            |         |            |  | v |  | v B         |         |  C
//            +---------+            +--|---|--+             +---------+
#include <stdint.h>

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static void scale(int64_t M, int64_t N, T beta, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++)
            C[i * ldc + j] = beta != 0 ? beta * C[i * ldc + j] : 0;
}

// C[0:4, 0:TN] += alpha * A * B. Each of the four rows of sums has a name of its own, so that the
// compiler sees four independent arrays and can keep them in registers.
static void micro(int64_t k, T alpha, const T *A, int64_t lda, const T *B, int64_t ldb, T *C,
                  int64_t ldc)
{
    T sum0[TN] = {0}, sum1[TN] = {0}, sum2[TN] = {0}, sum3[TN] = {0};
    for (int64_t p = 0; p < k; p++) {
        const T a0 = A[p], a1 = A[lda + p], a2 = A[2 * lda + p], a3 = A[3 * lda + p];
        for (int j = 0; j < TN; j++) {
            sum0[j] += a0 * B[p * ldb + j];
            sum1[j] += a1 * B[p * ldb + j];
            sum2[j] += a2 * B[p * ldb + j];
            sum3[j] += a3 * B[p * ldb + j];
        }
    }
    for (int j = 0; j < TN; j++) {
        C[j] += alpha * sum0[j];
        C[ldc + j] += alpha * sum1[j];
        C[2 * ldc + j] += alpha * sum2[j];
        C[3 * ldc + j] += alpha * sum3[j];
    }
}

// The tiles at the right and lower edges, with fewer than TM rows or TN columns.
static void edge(int64_t m, int64_t n, int64_t k, T alpha, const T *A, int64_t lda, const T *B,
                 int64_t ldb, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; p < k; p++) {
            const T a = alpha * A[i * lda + p];
            for (int64_t j = 0; j < n; j++)
                C[i * ldc + j] += a * B[p * ldb + j];
        }
}

static void tile(int64_t M, int64_t n, int64_t k, T alpha, const T *A, int64_t lda, const T *B,
                 int64_t ldb, T *C, int64_t ldc)
{
    for (int64_t j = 0; j < n; j += TN)
        for (int64_t i = 0; i < M; i += TM) {
            if (i + TM <= M && j + TN <= n)
                micro(k, alpha, A + i * lda, lda, B + j, ldb, C + i * ldc + j, ldc);
            else
                edge(min(TM, M - i), min(TN, n - j), k, alpha, A + i * lda, lda, B + j, ldb,
                     C + i * ldc + j, ldc);
        }
}

void register_tile(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
                   int64_t ldb, T beta, T *C, int64_t ldc)
{
    scale(M, N, beta, C, ldc);
    for (int64_t j0 = 0; j0 < N; j0 += BN)
        for (int64_t k0 = 0; k0 < K; k0 += BK)
            tile(M, min(BN, N - j0), min(BK, K - k0), alpha, A + k0, lda, B + k0 * ldb + j0, ldb,
                 C + j0, ldc);
}
