// 11_async.cu: copies to shared memory run several stages ahead; fragments are read one k ahead.
// SPDX-License-Identifier: MIT
//@ title    Asynchronous copies
//@ after    10_warp_tile
//@ idea     cp.async writes shared memory without a register in between, several tiles ahead
//@ idea     two sets of fragments: the next k is read while this k's multiply-adds run
//@ type     f32
//@ arch     >= sm_80
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, WM 64 {32,64}, WN 64 {32,64}
//@ param    STAGES 4 {2,3,4}
//@ let      NT = (BM/WM)*(BN/WN)*32, TM = WM/4, TN = WN/8, PAD = 4
//@ let      SA = BK*(BM+PAD), SB = BK*(BN+PAD)
//@ require  BM%WM==0 && BN%WN==0 && NT%BM==0 && NT%BN==0 && NT<=1024
//@ require  BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "each thread copies whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ smem     STAGES*(SA+SB)*4
//@ expect   spills == 0, regs <= 255 @sm_90
//@ source   NVIDIA CUTLASS, efficient GEMM: pipelining from global to shared memory to registers
//
// After 10_warp_tile: the next tiles are copied by cp.async while this one is used, with one
// barrier a tile and not two: shared memory has STAGES tiles, and a copy overwrites one that all
// warps have finished reading. Edges: a copy of an element outside the matrix writes a zero.
// Tile: 128 x 128 by 8 deep; 4 warps of 64 x 64; a thread's sums are 4 x 2 pieces of 4 x 4.
// A copy takes about 600 cycles; a tile is 16*8*8 = 1024 multiply-adds a thread, about 1024
// cycles of each of the 4 schedulers. So one tile ahead covers the mean latency, and three cover
// the longest.
// Intensity at 4096: 2*128*128 / (4*(128+128)) = 32 FLOP/byte from global memory; from shared
// memory 2*128 / (4*24) = 2.7: 6 reads of 16 bytes for 128 multiply-adds.
// Sectors a request: B 16 (512 bytes, all used), A 4 (4 rows, 32 bytes of each).
// Occupancy on sm_90: at most 255 registers * 128 threads = 32640 of 65536, so 2 blocks, 8
// warps.
//
//   step       s              s+1            s+2
//   copy      |tile s+3      |tile s+4      |tile s+5      into the stage that step s-1 has read
//   fragments |k=1 2 .. 7, 0 |k=1 2 .. 7, 0 |              the last 0 is the next tile's
//   FMA       |k=0 1 .. 6  7 |k=0 1 .. 6  7 |
//             ^ wait, barrier: just before the last read of each step
//
//        k  BM + PAD       k  BN + PAD                 warp: lane 0 .. 7 across, 4 down
//       +-----------+     +-----------+               +----+----+-- --+----+
//  BK   | A^T       |     | B         |  x STAGES     | 4x4| 4x4|     | 4x4| = 16 x 32 of C,
//       +-----------+     +-----------+               +----+----+-- --+----+ 4 x 2 times
#include "cp_async.h"

// `wide` rows of A or columns of B and `deep` steps of k are in the matrix. k is contiguous in
// memory, so adjacent threads copy adjacent k, 32 bytes of each row. In shared memory their
// elements are 4 banks apart (PAD), so the scattered writes use each bank once.
__device__ static inline void copy_along_k(unsigned tile, int W, const T *from, int ld, bool whole,
                                           int wide, int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x / BK + i * (NT / BK), k = threadIdx.x % BK;
        const bool valid = whole || (w < wide && k < deep);
        const T *source = from + (size_t)w * ld + k;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// k is strided in memory, so adjacent threads copy adjacent elements of one row of the tile.
__device__ static inline void copy_across_k(unsigned tile, int W, const T *from, int ld, int wide,
                                            int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x % W, k = threadIdx.x / W + i * (NT / W);
        const bool valid = w < wide && k < deep;
        const T *source = from + (size_t)k * ld + w;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// The same in vectors of 16 bytes, for an aligned tile that is completely inside the matrix.
__device__ static inline void copy_vectors(unsigned tile, int W, const T *from, int ld)
{
#pragma unroll
    for (int i = 0; i < W * BK / (4 * NT); i++) {
        const int w = threadIdx.x % (W / 4) * 4, k = threadIdx.x / (W / 4) + i * (4 * NT / W);
        cp_async_16(tile + (k * (W + PAD) + w) * 4, from + (size_t)k * ld + w);
    }
}

// Copies the tiles of one step. A is transposed, so that both fragments are read along a row.
__device__ static inline void copy_tiles(unsigned to, const T *A, int lda, const T *B, int ldb,
                                         bool aligned_b, int high, int wide, int deep)
{
    if (high >= BM && deep >= BK)
        copy_along_k(to, BM, A, lda, true, high, deep);
    else
        copy_along_k(to, BM, A, lda, false, high, deep);
    if (wide >= BN && deep >= BK && aligned_b)
        copy_vectors(to + SA * 4, BN, B, ldb);
    else
        copy_across_k(to + SA * 4, BN, B, ldb, wide, deep);
}

__device__ static inline void load_fragment(float *to, int count, int stride, const float *from)
{
#pragma unroll
    for (int i = 0; i < count; i += 4)
        *(float4 *)(to + i) = *(const float4 *)(from + i / 4 * stride);
}

__device__ static inline void store_row(T *c, int count, bool vector, float4 sum, T alpha, T beta)
{
    sum = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    if (vector && count >= 4) {
        if (beta != 0) {
            const float4 old = *(const float4 *)c;
            sum = make_float4(sum.x + beta * old.x, sum.y + beta * old.y, sum.z + beta * old.z,
                              sum.w + beta * old.w);
        }
        *(float4 *)c = sum;
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? sum.x + beta * c[0] : sum.x;
    if (count > 1)
        c[1] = beta != 0 ? sum.y + beta * c[1] : sum.y;
    if (count > 2)
        c[2] = beta != 0 ? sum.z + beta * c[2] : sum.z;
    if (count > 3)
        c[3] = beta != 0 ? sum.w + beta * c[3] : sum.w;
}

__global__ void __launch_bounds__(NT)
    async_copies(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                 T *C, int ldc)
{
    extern __shared__ float4 stages[];
    float *const shared = (float *)stages;
    const unsigned base = shared_address(shared);
    const int row = blockIdx.y * BM, column = blockIdx.x * BN, steps = (K + BK - 1) / BK;
    A += (size_t)row * lda;
    B += column;
    const bool aligned_b = ldb % 4 == 0 && (size_t)B % 16 == 0;

    // The copies of STAGES-1 tiles are issued before the first wait.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) {
            copy_tiles(base + s * (SA + SB) * 4, A, lda, B, ldb, aligned_b, M - row, N - column,
                       K - s * BK);
            A += BK;
            B += (size_t)BK * ldb;
        }
        cp_async_commit();
    }
    // The last step prefetches too. If no tile was ever copied to that stage, it is set to zero.
    if (steps < STAGES)
        for (int i = threadIdx.x; i < SA + SB; i += NT)
            shared[steps * (SA + SB) + i] = 0;

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM + lane / 8 * 4, c = warp % (BN / WN) * WN + lane % 8 * 4;
    float sum[TM][TN] = {};
    float a[2][TM], b[2][TN];
    const float *read = shared;
    int write = STAGES - 1;
    cp_async_wait(STAGES - 2);
    __syncthreads();
    load_fragment(a[0], TM, 16, read + r);
    load_fragment(b[0], TN, 32, read + SA + c);

    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            // The fragments of the next k are read during the multiply-adds of this one; the last k
            // of a step reads the first fragments of the next stage.
            if (k == BK - 1) {
                cp_async_wait(STAGES - 2);
                __syncthreads();
                read = read == shared + (STAGES - 1) * (SA + SB) ? shared : read + (SA + SB);
            }
            load_fragment(a[(k + 1) % 2], TM, 16, read + (k + 1) % BK * (BM + PAD) + r);
            load_fragment(b[(k + 1) % 2], TN, 32, read + SA + (k + 1) % BK * (BN + PAD) + c);
            if (k == 0) {
                const int left = K - (step + STAGES - 1) * BK;
                if (left > 0) {
                    copy_tiles(base + write * (SA + SB) * 4, A, lda, B, ldb, aligned_b, M - row,
                               N - column, left);
                    A += BK;
                    B += (size_t)BK * ldb;
                }
                cp_async_commit();
                write = write == STAGES - 1 ? 0 : write + 1;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[k % 2][i] * b[k % 2][j];
        }
    }

    const bool vector = ldc % 4 == 0 && (size_t)C % 16 == 0;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int y = row + r + i / 4 * 16 + i % 4;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int x = column + c + j / 4 * 32;
            const float4 four = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            store_row(C + (size_t)y * ldc + x, N - x, vector, four, alpha, beta);
        }
    }
}
