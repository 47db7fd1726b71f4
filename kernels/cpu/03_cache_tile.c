// 03_cache_tile.c: the loops go over tiles that fit into a cache. SPDX-License-Identifier: MIT
//@ title    Cache tiling
//@ after    02_loop_order
//@ idea     a tile of B stays in L2 while all rows of A pass by
//@ type     f32, f64
//@ param    BN 512 {128,256,512}, BK 128 {32,64,128}
//@ source   Lam, Rothberg and Wolf 1991, on blocked algorithms and caches
//
// After 02_loop_order: j and k are divided into steps of BN and BK, and the loops over these steps
// are outside loop i.
// Tile: BK x BN of B; 128 x 512 in f32 is 256 KB, a quarter of a 1 MB L2. A tile that fits into L1
// would need more steps, and each step reads and writes the row of C once more. Edges: the last
// step is shorter.
// Intensity: B is read from L3 once in total instead of once for each row; C is read and written
// K/BK times. The inner loop still has one load of B, one load and one store of C for 2 FLOP, now
// from L2 and L1: it is bounded by the load and store ports.
//
//            k0  k0+BK             j0  j0+BN               j0  j0+BN
//          +--|---|--+           +--|---|--+            +--|---|--+
//     i -->|  |***|  |  A     k0 |--+---+--|       i -->|  |===|  |  C
//          |  |   |  |           |  | B |  | stays      |  |   |  |
//          +--|---|--+     k0+BK |--+---+--|            +--|---|--+
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

// C += alpha * A * B for one tile of B: the loops of 02_loop_order.
static void tile(int64_t M, int64_t n, int64_t k, T alpha, const T *A, int64_t lda, const T *B,
                 int64_t ldb, T *C, int64_t ldc)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t p = 0; p < k; p++) {
            const T a = alpha * A[i * lda + p];
            for (int64_t j = 0; j < n; j++)
                C[i * ldc + j] += a * B[p * ldb + j];
        }
}

void cache_tile(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
                int64_t ldb, T beta, T *C, int64_t ldc)
{
    scale(M, N, beta, C, ldc);
    for (int64_t j0 = 0; j0 < N; j0 += BN)
        for (int64_t k0 = 0; k0 < K; k0 += BK)
            tile(M, min(BN, N - j0), min(BK, K - k0), alpha, A + k0, lda, B + k0 * ldb + j0, ldb,
                 C + j0, ldc);
}
