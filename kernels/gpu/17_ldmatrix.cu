// 17_ldmatrix.cu: fragments for the tensor cores by ldmatrix, from swizzled tiles.
// SPDX-License-Identifier: MIT
//@ title    Swizzle and ldmatrix
//@ after    16_mma
//@ idea     one instruction reads 16 x 16 elements, and can transpose each 8 x 8
//@ idea     no padding: the places of the 16-byte pieces of a row are XORed with the row's number
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 32 {32,64}, WM 64 {32,64}, WN 32 {32,64}
//@ let      NT = (BM/WM)*(BN/WN)*32, V = 8
//@ let      HIGH_A = TA*BK+(1-TA)*BM, WIDE_A = TA*BM+(1-TA)*BK
//@ let      HIGH_B = TB*BN+(1-TB)*BK, WIDE_B = TB*BK+(1-TB)*BN
//@ require  NT<=1024 && BM*BK%(V*NT)==0 && BN*BK%(V*NT)==0 "each thread copies whole vectors"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, regs <= 136 @sm_90, smem_bytes == 16384
//@ source   PTX ISA, ldmatrix; NVIDIA CUTLASS, efficient GEMM
//
// After 16_mma: the fragments of 16 x 16 elements are read by ldmatrix.x4, 16 bytes of a row for
// each lane, and transposed by ldmatrix.x4.trans if k is not contiguous in the tile: 6 reads for 16
// instructions, not 32. The 8 rows that are read at a time must be in different banks, and so must
// what 8 threads write: piece p of row r is at place p ^ r % 8.
// Tile: 128 x 128 by 32 deep; 8 warps of 64 x 32, 64 sums a thread.
// Intensity at 4096: 64 FLOP/byte from global memory, 21.3 from shared memory, as in 16_mma.
// Bounds for 16 of k and a warp: 16 instructions, 16 to 24 cycles of the multiprocessor as in
// 16_mma; 6 reads of 512 bytes, 24 cycles of its shared memory.
// Banks: no conflicts. Two rows of 64 bytes (k contiguous, BK 32) are in 128 bytes, and have r / 2
// % 4 instead of r % 8.
// Occupancy on sm_90: 126 registers (nn) * 256 threads and 16384 bytes: 2 blocks, 16 warps.
//
//     rows of 128 bytes or more        ldmatrix.x4, k along          ldmatrix.x4.trans, k across
//     row 0 | 0 1 2 3 4 5 6 7 |              k 0..7   k 8..15               w 0..7   w 8..15
//         1 | 1 0 3 2 5 4 7 6 |             +--------+--------+            +--------+--------+
//         2 | 2 3 0 1 6 7 4 5 |     w 0..7  |  r[0]  |  r[2]  |    k 0..7  |  r[0]  |  r[1]  |
//         3 | 3 2 1 0 7 6 5 4 |             +--------+--------+            +--------+--------+
//        .. |                 |     w 8..15 |  r[1]  |  r[3]  |    k 8..15 |  r[2]  |  r[3]  |
//         7 | 7 6 5 4 3 2 1 0 |             +--------+--------+            +--------+--------+
//                                       w: a row of A or a column of B
#include <cuda_bf16.h> // T is one of its types, or of cuda_fp16.h

#include "ldmatrix.h"
#include "mma.h"
#include "store_two.h"

// The shared-memory address of 16 bytes, in the form that the instructions require.
__device__ static inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// The position in a tile of the vector of row y and columns x to x + V - 1: in 8 consecutive rows,
// it is at 8 different places within 128 bytes, which two rows of 32 elements share.
__device__ static inline int place_of(int wide, int y, int x)
{
    const int turn = wide < 64 ? y / 2 % 4 : y % 8;
    return y * wide + (x / V ^ turn) * V;
}

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
        *(uint4 *)(tile + place_of(wide, y, x)) = from[i];
    }
}

// Loads 16 rows (of A) or columns (of B) from w on and 16 of k, in the layout of A in mma.h.
__device__ static inline void load_fragment(unsigned *to, unsigned tile, bool along, int wide,
                                            int w, int k, int lane)
{
    if (along)
        ldmatrix_x4(to, tile + 2 * place_of(wide, w + lane % 16, k + lane / 16 * 8));
    else
        ldmatrix_x4_trans(
            to, tile + 2 * place_of(wide, k + lane % 8 + lane / 16 * 8, w + lane / 8 % 2 * 8));
}

__global__ void __launch_bounds__(NT)
    swizzled(int M, int N, int K, float alpha, const T *A, int lda, const T *B, int ldb, float beta,
             T_C *C, int ldc)
{
    __shared__ __align__(128) T As[BM * BK], Bs[BN * BK];
    const unsigned tile_a = shared_address(As), tile_b = shared_address(Bs);
    const int row = blockIdx.y * BM, column = blockIdx.x * BN;
    A += TA ? row : (size_t)row * lda;
    B += TB ? (size_t)column * ldb : column;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM, c = warp % (BN / WN) * WN;
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
        for (int k = 0; k < BK && tile > 0; k += 16) {
            unsigned a[4], b[WN / 16][4];
#pragma unroll
            for (int j = 0; j < WN / 16; j++)
                load_fragment(b[j], tile_b, TB, WIDE_B, c + j * 16, k, lane);
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                load_fragment(a, tile_a, !TA, WIDE_A, r + i * 16, k, lane);
#pragma unroll
                for (int j = 0; j < WN / 8; j++) {
                    const unsigned two[2] = {b[j / 2][j % 2], b[j / 2][j % 2 + 2]};
                    mma_16x8x16((const T *)0, sum[i][j], a, two);
                }
            }
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
            const int y = row + r + lane / 4 + i * 16 + e * 8;
            if (y >= M)
                continue;
#pragma unroll
            for (int j = 0; j < WN / 8; j++) {
                const int x = column + c + j * 8 + lane % 4 * 2;
                store_two(C + (size_t)y * ldc + x, N - x, aligned_c, &sum[i][j][2 * e], alpha,
                          beta);
            }
        }
}
