// 14_mfma.cu: a wavefront's tile is multiplied by the matrix cores of AMD's CDNA.
// SPDX-License-Identifier: MIT
//@ title    Matrix cores (MFMA)
//@ after    10_warp_tile
//@ idea     one instruction of a wavefront makes 2048 multiply-adds from 2 registers a lane
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
#include "mfma.h"

// What one load or store moves, and how many of them a thread needs for a tile of A and of B.
typedef T vec __attribute__((vector_size(16)));
enum { V = 16 / sizeof(T), BK = BYTES / sizeof(T), PAD = 4 };
enum { LOADS_A = BM * BK / (V * NT), LOADS_B = BK * BN / (V * NT) };

// V neighbours of a row, of which `count` are in the matrix; zeros take the place of the others.
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
    // The tile at `tile` is on the way from global memory while the one before it is multiplied.
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
