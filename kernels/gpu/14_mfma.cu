// 14_mfma.cu: a wavefront's tile is multiplied by the matrix cores of AMD's CDNA.
// SPDX-License-Identifier: MIT
//@ title    Matrix cores (MFMA)
//@ after    10_warp_tile
//@ idea     one instruction makes 2048 multiply-adds (1024 in f64) of 2 numbers from each lane
//@ idea     two stages in LDS: the next tile is written while this one is read, one barrier a tile
//@ type     f32, f64
//@ arch     gfx90a, gfx942
//@ param    BM 128 {64,128}, BN 128 {64,128}, BYTES 32 {32,64}, WM 64 {32,64}, WN 64 {32,64}
//@ let      NT = BM/WM*(BN/WN)*64
//@ require  WARP==64 && NT<=1024 "its wavefronts have 64 lanes"
//@ require  BM*BYTES%(16*NT)==0 && BN*BYTES%(16*NT)==0 "every thread loads whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 168, smem_bytes == 16640, occupancy.blocks >= 3
//@ source   AMD CDNA 2 ISA guide, matrix arithmetic; AMD matrix instruction calculator
//
// After 10_warp_tile: the sums are those of matrix instructions (mfma.h), 2 x 2 squares of 32 x 32
// for each wavefront, or 4 x 4 of 16 x 16 in f64. Nothing here was run on AMD hardware: registers,
// LDS and instructions are the compiler's, cycles and banks are from AMD's documents.
// Tile: 128 x 128, BYTES of each row deep: 8 in f32, 4 in f64; 4 wavefronts of 64 x 64.
// For 4096 in f32: 32 FLOP/byte from global memory; from LDS each of 64 lanes reads 4 words for
// 8192 multiply-adds, 2*8192 / (4*256) = 16 FLOP/byte; in 10_warp_tile it is 2.7.
// Cycles of a tile on CDNA2, f32: a wavefront has 16 instructions of 64 cycles, 1024; meanwhile LDS
// delivers 16 words a lane to 4 wavefronts, 4*16*64*4 / 128 = 128. f64: 16 of 32 cycles; 128.
// Banks: 32 lanes read 32 adjacent words of a row. Of the lanes that write A at a time, half have k
// 0..3 and half 4..7, 4*(BM+PAD) words apart: 16 banks further, as in 09_conflict_free.
// Occupancy on gfx90a: 102 VGPRs (166 in f64) of 512 and 16640 bytes of LDS: 3 blocks, so that each
// SIMD has 3 wavefronts, and two can run while one waits. With BYTES 64 it has 1. With 2 blocks
// requested, the compiler keeps the sums in VGPRs; if it may use all 512, it moves them to AGPRs
// and needs 152 (296 in f64).
//
//       As[stage]  BM + PAD              C   WN = 64           one instruction, f32
//      +---------------+                +-------+-------+                 j
//   k  | . . . . . . . | lanes 0..31    | 32x32 | 32x32 |            k +-------+ lanes 0..31
//  k+1 | . . . . . . . | lanes 32..63   +-------+-------+ WM       k+1 +-------+ lanes 32..63
//      +---------------+                | 32x32 | 32x32 |       k k+1
//   the same of Bs[stage]               +-------+-------+   i   | | |  32 x 32 sums, 16 a lane
//
#include "mfma.h"

// What one load or store moves, and the number of loads of A and of B per thread and tile.
typedef T vec __attribute__((vector_size(16)));
enum { V = 16 / sizeof(T), BK = BYTES / sizeof(T), PAD = 4 };
enum { LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };

// Loads V adjacent elements of a row, of which `count` are in the matrix; the others become zero.
__device__ static inline vec load(const T *from, bool aligned, int count)
{
    if (aligned && count >= V)
        return *(const vec *)from;
    vec v = {};
    for (int e = 0; e < V; e++)
        v[e] = e < count ? from[e] : 0;
    return v;
}

__global__ void __launch_bounds__(NT, 2)
    matrix_cores(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                 T *C, int ldc)
{
    __shared__ __align__(16) T As[2][BK][BM + PAD], Bs[2][BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int wave = threadIdx.x / 64, lane = threadIdx.x % 64;
    const int i = wave / (BN / WN) * WM, j = wave % (BN / WN) * WN;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;
    sums sum[WM / SIDE][WN / SIDE] = {};
    // The tile at `tile` is loaded from global memory while the one before it is multiplied.
    for (int tile = 0, stage = 0; tile < K + BK; tile += BK, stage = 1 - stage) {
        vec va[LOADS_A], vb[LOADS_B];
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT, y = at / (BK / V), k = at % (BK / V) * V;
            const int count = row + y < M ? K - tile - k : 0;
            va[e] = load(&A[(size_t)(row + y) * lda + tile + k], aligned_a, count);
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / V), x = at % (BN / V) * V;
            const int count = tile + k < K ? N - col - x : 0;
            vb[e] = load(&B[(size_t)(tile + k) * ldb + col + x], aligned_b, count);
        }
#pragma unroll
        for (int k = 0; k < BK && tile > 0; k += DEEP) {
            T a[WM / SIDE], b[WN / SIDE];
#pragma unroll
            for (int m = 0; m < WM / SIDE; m++)
                a[m] = As[1 - stage][k + fragment_k(lane)][i + m * SIDE + fragment_i(lane)];
#pragma unroll
            for (int n = 0; n < WN / SIDE; n++)
                b[n] = Bs[1 - stage][k + fragment_k(lane)][j + n * SIDE + fragment_i(lane)];
#pragma unroll
            for (int m = 0; m < WM / SIDE; m++)
#pragma unroll
                for (int n = 0; n < WN / SIDE; n++)
                    sum[m][n] = multiply_add(a[m], b[n], sum[m][n]);
        }
        for (int e = 0; e < LOADS_A; e++) {
            const int at = threadIdx.x + e * NT, y = at / (BK / V), k = at % (BK / V) * V;
            for (int f = 0; f < V; f++)
                As[stage][k + f][y] = va[e][f];
        }
        for (int e = 0; e < LOADS_B; e++) {
            const int at = threadIdx.x + e * NT, k = at / (BN / V), x = at % (BN / V) * V;
            *(vec *)&Bs[stage][k][x] = vb[e];
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < WM / SIDE; m++)
#pragma unroll
        for (int n = 0; n < WN / SIDE; n++)
#pragma unroll
            for (int s = 0; s < SUMS; s++) {
                const int y = row + i + m * SIDE + sum_row(lane, s);
                const int x = col + j + n * SIDE + sum_column(lane);
                if (y >= M || x >= N)
                    continue;
                T *c = &C[(size_t)y * ldc + x];
                *c = beta != 0 ? alpha * sum[m][n][s] + beta * *c : alpha * sum[m][n][s];
            }
}
