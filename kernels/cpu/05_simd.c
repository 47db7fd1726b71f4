// 05_simd.c: the register tile in vectors. SPDX-License-Identifier: MIT
//@ title    SIMD register tile
//@ after    04_register_tile
//@ idea     a row of the register tile is TV vectors: one multiply-add does LANES columns at once
//@ type     f32, f64
//@ param    TM 6 {2,4,5,6,8}, TV 2 {1,2,3}
//@ param    BN 480 {240,480,960}, BK 256 {128,256,512}
//@ source   Van Zee and van de Geijn 2015, BLIS: the micro-kernel as rank-1 updates
//
// After 04_register_tile: `sum` is TM x TV vectors, written explicitly. LANES elements fill a
// vector of this ISA: 16, 32 or 64 bytes, so 4, 8 or 16 floats. The vector types of GNU C allow the
// same file to be compiled for all ISAs and types.
// Tile: TM x (TV*LANES); 6 x 2 vectors are 12 sums + 2 of B + 1 broadcast of A: 15 of AVX2's 16
// registers. With two multiply-adds per cycle and 4 cycles of latency, at least 8 sums are needed
// to keep the multiply-add units busy.
// Intensity: 2*6*32 / (4*(6+32)) = 2.5 FLOP/byte in f32 with AVX-512. 8 loads feed 12
// multiply-adds, so it is bounded by the multiply-add units while the operands are in L1. At
// power-of-two strides they are not.
//
//                k ->                  j            j+TV*LANES
//            +---------+            +--|[b0 ][b1 ]|--+             |[c00][c01]|
//       i -->|a0 ----->|         k  |  |[   ][   ]|  |        i -->|[c10][c11]|   c_iv += a_i * b_v
//            |a1       | A       |  |  |          |  | B           |   ...    |
//       i+TM |...      |         v  |  |          |  |        i+TM |          |
#include <stdint.h>
#include <string.h>

enum { LANES = __BIGGEST_ALIGNMENT__ / sizeof(T), TN = TV * LANES };
typedef T vec __attribute__((vector_size(__BIGGEST_ALIGNMENT__)));

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

// Rows of B and C may have any alignment, so vectors are copied with memcpy, which compiles to one
// unaligned load or store.
static inline vec load(const T *x)
{
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

// C[0:TM, 0:TN] += alpha * A * B. B is loaded first; then each element of A updates a row of sums.
static void micro(int64_t k, T alpha, const T *A, int64_t lda, const T *B, int64_t ldb, T *C,
                  int64_t ldc)
{
    vec sum[TM][TV] = {{{0}}};
    for (int64_t p = 0; p < k; p++) {
        vec b[TV];
        for (int v = 0; v < TV; v++)
            b[v] = load(B + p * ldb + v * LANES);
        for (int i = 0; i < TM; i++)
            for (int v = 0; v < TV; v++)
                sum[i][v] += A[i * lda + p] * b[v];
    }
    for (int i = 0; i < TM; i++)
        for (int v = 0; v < TV; v++) {
            const vec c = load(C + i * ldc + v * LANES) + alpha * sum[i][v];
            memcpy(C + i * ldc + v * LANES, &c, sizeof c);
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

void simd(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
          int64_t ldb, T beta, T *C, int64_t ldc)
{
    scale(M, N, beta, C, ldc);
    for (int64_t j0 = 0; j0 < N; j0 += BN)
        for (int64_t k0 = 0; k0 < K; k0 += BK)
            tile(M, min(BN, N - j0), min(BK, K - k0), alpha, A + k0, lda, B + k0 * ldb + j0, ldb,
                 C + j0, ldc);
}
