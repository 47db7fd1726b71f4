// 16_mma.cu: f16 and bf16 by NVIDIA's tensor cores, from shared memory.
// SPDX-License-Identifier: MIT
//@ title    Tensor cores (mma.sync)
//@ after    10_warp_tile
//@ idea     f16 or bf16 in, sums in f32: one instruction of a warp makes 2048 multiply-adds
//@ idea     tiles have the order of global memory: transposes differ only in the reads of fragments
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 32 {32,64}, WM 64 {32,64}, WN 32 {32,64}
//@ let      NT = (BM/WM)*(BN/WN)*32, V = 8, PAD = 8
//@ let      HIGH_A = TA*BK+(1-TA)*BM, WIDE_A = TA*BM+(1-TA)*BK
//@ let      HIGH_B = TB*BN+(1-TB)*BK, WIDE_B = TB*BK+(1-TB)*BN
//@ require  NT<=1024 && BM*BK%(V*NT)==0 && BN*BK%(V*NT)==0 "each thread copies whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 168 @sm_90, smem_bytes <= 20480
//@ source   PTX ISA, mma.sync; NVIDIA CUTLASS, efficient GEMM
//
// After 10_warp_tile: a warp's 64 x 32 sums are 4 x 4 squares of 16 x 8, each of one instruction
// for 16 of k (mma.h). A register of a fragment has two elements that are adjacent along k: one
// read of 4 bytes if k is contiguous in the tile, or else two reads of 2 bytes. So tiles can have
// the order of global memory, and transposes differ only in these reads.
// Tile: 128 x 128 by 32 deep; 8 warps of 64 x 32, 64 sums a thread.
// Intensity at 4096: 2*128*128 / (2*(128+128)) = 64 FLOP/byte from global memory. From shared
// memory a warp reads (64+32)*16 elements of 2 bytes for 2*64*32*16 FLOP: 21.3 FLOP/byte; in
// 10_warp_tile it is 2.7.
// Bounds for 16 of k and a warp, nn: 16 instructions of 2048 multiply-adds take 16 cycles of a
// multiprocessor of sm_90 (2048 a cycle), 24 at the two thirds that mma.sync reaches there. 16
// reads of A and 16 of B, one wavefront each, take 32 cycles of its shared memory, which is
// longer.
// Sectors a request: 16, since a thread reads 16 bytes; all are used.
// Banks: rows of A are 80 bytes apart, so the 8 rows that a warp reads begin in banks 0, 20, 8,
// 28, 16, 4, 24, 12, and use 4 each. Rows of B are 272 bytes apart: k and k + 2 are 8 banks apart.
// When threads write 16 bytes to rows of 80, half of the wavefronts are conflicts; 17_ldmatrix has
// none.
// Occupancy on sm_90: 126 registers (nn) * 256 threads and 18944 bytes: 2 blocks, 16 warps.
//
//        k ->  BK + PAD         n ->  BN + PAD         one warp, 64 x 32
//       +------------+         +----------------+     +-----+-----+-----+-----+
//   m   | kk kk .. . |     k   | n n n n ..     |     |16x8 |16x8 |16x8 |16x8 |  each 16 x 8 from
//       | kk kk .. . |    k+1  | n n n n ..     |     +-----+-----+-----+-----+  16 x 16 of A and
//       +------------+         +----------------+     |     |     |     |     |  16 x 8 of B
//        one read of            two reads, one        +-----+-----+-----+-----+
//        two neighbours         below the other               .. 4 of these
#include <cuda_bf16.h> // T is one of its types, or of cuda_fp16.h

#include "mma.h"
#include "store_two.h"

// Loads V adjacent elements of a row in memory, of which `count` are in the matrix; the others
// become zero.
__device__ static inline uint4 load_vector(const T *from, bool aligned, int count)
{
    if (aligned && count >= V)
        return *(const uint4 *)from;
    unsigned word[V / 2] = {};
#pragma unroll
    for (int e = 0; e < V; e++)
        if (e < count)
            word[e / 2] |= (unsigned)((const unsigned short *)from)[e] << 16 * (e % 2);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// Loads this thread's vectors of a tile of high x wide elements, of which `rows` and `columns` are
// in the matrix.
__device__ static inline void load_tile(uint4 *to, int high, int wide, const T *from, int ld,
                                        bool aligned, int rows, int columns)
{
#pragma unroll
    for (int i = 0; i < high * wide / (V * NT); i++) {
        const int at = threadIdx.x + i * NT, y = at / (wide / V), x = at % (wide / V) * V;
        to[i] = load_vector(from + (size_t)y * ld + x, aligned, y < rows ? columns - x : 0);
    }
}

__device__ static inline void store_tile(T *tile, const uint4 *from, int high, int wide)
{
#pragma unroll
    for (int i = 0; i < high * wide / (V * NT); i++) {
        const int at = threadIdx.x + i * NT, y = at / (wide / V), x = at % (wide / V) * V;
        *(uint4 *)(tile + y * (wide + PAD) + x) = from[i];
    }
}

// Loads elements k and k+1 of row (of A) or column (of B) w. They are adjacent if the rows of the
// tile are along k, and in adjacent rows otherwise.
__device__ static inline unsigned load_two(const T *tile, bool along, int wide, int w, int k)
{
    if (along)
        return *(const unsigned *)(tile + w * (wide + PAD) + k);
    const unsigned short *at = (const unsigned short *)tile + k * (wide + PAD) + w;
    return at[0] | (unsigned)at[wide + PAD] << 16;
}

__global__ void __launch_bounds__(NT) mma(int M, int N, int K, float alpha, const T *A, int lda,
                                          const T *B, int ldb, float beta, T_C *C, int ldc)
{
    __shared__ __align__(16) T As[HIGH_A * (WIDE_A + PAD)], Bs[HIGH_B * (WIDE_B + PAD)];
    const int row = blockIdx.y * BM, column = blockIdx.x * BN;
    A += TA ? row : (size_t)row * lda;
    B += TB ? (size_t)column * ldb : column;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM + lane / 4, c = warp % (BN / WN) * WN + lane / 4;
    float sum[WM / 16][WN / 8][4] = {};
    // The tile at `tile` is loaded from global memory while the one before it is multiplied.
    for (int tile = 0; tile < K + BK; tile += BK) {
        uint4 va[BM * BK / (V * NT)], vb[BN * BK / (V * NT)];
        const int left = K - tile;
        load_tile(va, HIGH_A, WIDE_A, A, lda, aligned_a, TA ? left : M - row, TA ? M - row : left);
        load_tile(vb, HIGH_B, WIDE_B, B, ldb, aligned_b, TB ? N - column : left,
                  TB ? left : N - column);
        A += TA ? (size_t)BK * lda : BK;
        B += TB ? BK : (size_t)BK * ldb;
#pragma unroll
        for (int k = lane % 4 * 2; k < BK && tile > 0; k += 16) {
            unsigned a[WM / 16][4], b[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    a[i][e] = load_two(As, !TA, WIDE_A, r + i * 16 + e % 2 * 8, k + e / 2 * 8);
#pragma unroll
            for (int j = 0; j < WN / 8; j++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    b[j][e] = load_two(Bs, TB, WIDE_B, c + j * 8, k + e * 8);
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++)
                    mma_16x8x16((const T *)0, sum[i][j], a[i], b[j]);
        }
        __syncthreads();
        store_tile(As, va, HIGH_A, WIDE_A);
        store_tile(Bs, vb, HIGH_B, WIDE_B);
        __syncthreads();
    }

    const bool aligned_c = ldc % 2 == 0 && (size_t)C % (2 * sizeof(T_C)) == 0;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int y = row + r + i * 16 + e * 8;
            if (y >= M)
                continue;
#pragma unroll
            for (int j = 0; j < WN / 8; j++) {
                const int x = column + c - lane / 4 + j * 8 + lane % 4 * 2;
                store_two(C + (size_t)y * ldc + x, N - x, aligned_c, &sum[i][j][2 * e], alpha,
                          beta);
            }
        }
}
