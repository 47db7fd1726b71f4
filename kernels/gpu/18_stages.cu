// 18_stages.cu: tiles for the tensor cores are copied asynchronously, several steps ahead.
// SPDX-License-Identifier: MIT
//@ title    Asynchronous stages
//@ after    17_ldmatrix
//@ idea     cp.async writes shared memory without a register in between, several tiles ahead
//@ idea     the registers that it saves hold sums: a warp has 64 x 64
//@ idea     lanes exchange sums, so that each stores four adjacent ones
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128}, BN 128 {64,128,256}, BK 32 {32,64}, WM 64 {32,64}, WN 64 {32,64}
//@ param    STAGES 4 {2,3,4}
//@ param    BLOCKS 2 {2,3,4,6,7,8}
//@ let      NT = (BM/WM)*(BN/WN)*32, V = 8, STAGE = BK*(BM+BN)
//@ let      HIGH_A = TA*BK+(1-TA)*BM, WIDE_A = TA*BM+(1-TA)*BK
//@ let      HIGH_B = TB*BN+(1-TB)*BK, WIDE_B = TB*BK+(1-TB)*BN
//@ require  NT<=1024 && BM*BK%(V*NT)==0 && BN*BK%(V*NT)==0 "each thread copies whole vectors"
//@ arg      batch = 1, stride_a = 0, stride_b = 0, stride_c = 0, arrays = 0
//@ grid     cdiv(N,BN), cdiv(M,BM), batch
//@ block    NT
//@ smem     clamp(cdiv(K,BK),1,STAGES)*STAGE*2
//@ expect   spills == 0, regs <= 216 @sm_90
//@ source   NVIDIA CUTLASS, efficient GEMM: pipelining from global to shared memory to registers
//
// After 17_ldmatrix: the next tiles are copied by cp.async while this one is used, with one barrier
// a tile and not two: shared memory has STAGES tiles, and a copy overwrites one that all warps have
// finished reading. No register holds a tile meanwhile, so a warp has twice the sums. Tiles at
// edges, and rows that are not aligned to 16 bytes, are copied through registers: whole vectors as
// words, with 2 bytes before and after them if they begin at an odd element.
// Tile: 128 x 128 by 32 deep; 4 warps of 64 x 64, 128 sums a thread.
// Intensity at 4096: 64 FLOP/byte from global memory; from shared memory a warp reads (64+64)*16
// elements for 2*64*64*16 FLOP: 32 FLOP/byte.
// Bounds for 16 of k and a warp: 32 instructions, 32 to 48 cycles of the multiprocessor; 8 reads of
// 512 bytes, 32 cycles of its shared memory.
// Batches: the library sets the variables of the line `arg batch`; blockIdx.z is the product's
// number. Small products need small tiles, and a multiprocessor has more blocks of them (BLOCKS): 6
// of 64 x 64 by 4 warps of 32 x 32, or 4 of 64 x 128 by 4 warps of 32 x 64. A product of few steps
// has no more stages than steps.
// Banks: no conflicts; the copies write 16 bytes to the places of 17_ldmatrix.
// Occupancy on sm_90: 215 registers * 128 threads and 65536 bytes: 2 blocks, 8 warps.
//
//   step       s              s+1            s+2
//   copy      |tile s+3      |tile s+4      |tile s+5      into the stage that step s-1 has read
//   multiply  |tile s        |tile s+1      |tile s+2
//             ^ wait for tile s, barrier
#include <cuda_bf16.h> // T is one of its types, or of cuda_fp16.h

#include "cp_async.h"
#include "dependent_launch.h"
#include "ldmatrix.h"
#include "mma.h"
#include "of_batch.h"
#include "store_rows.h"

// The position in a tile of the vector of row y and columns x to x + V - 1: in 8 consecutive rows,
// it is at 8 different places within 128 bytes, which two rows of 32 elements share.
__device__ static inline int place_of(int wide, int y, int x)
{
    const int turn = wide < 64 ? y / 2 % 4 : y % 8;
    return y * wide + (x / V ^ turn) * V;
}

// Loads V adjacent elements of a row in memory, of which `count` are in the matrix; the others
// become zero.
__device__ static inline uint4 load_vector(const T *from, int count)
{
    unsigned word[V / 2] = {};
#pragma unroll
    for (int e = 0; e < V; e++)
        if (e < count)
            word[e / 2] |= (unsigned)((const unsigned short *)from)[e] << 16 * (e % 2);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// The same if all V are: as words and, at an odd position, 2 bytes before and after them.
__device__ static inline uint4 load_whole(const T *from)
{
    const unsigned *words = (const unsigned *)from;
    if ((size_t)from % 4 == 0)
        return make_uint4(words[0], words[1], words[2], words[3]);
    const unsigned short *halves = (const unsigned short *)from;
    words = (const unsigned *)(halves + 1);
    const unsigned a = words[0], b = words[1], c = words[2];
    return make_uint4(halves[0] | a << 16, a >> 16 | b << 16, b >> 16 | c << 16,
                      c >> 16 | (unsigned)halves[V - 1] << 16);
}

// Copies a tile of high x wide elements, of which `rows` and `columns` are in the matrix. Aligned,
// whole vectors are copied asynchronously, others through registers.
__device__ static inline void copy_tile(T *tile, int high, int wide, const T *from, int ld,
                                        bool aligned, int rows, int columns)
{
    if (aligned && rows >= high && columns >= wide) {
#pragma unroll
        for (int i = 0; i < high * wide / (V * NT); i++) {
            const int at = threadIdx.x + i * NT, y = at / (wide / V), x = at % (wide / V) * V;
            cp_async_16(shared_address(tile + place_of(wide, y, x)), from + (size_t)y * ld + x);
        }
        return;
    }
    uint4 vectors[BK * (BM > BN ? BM : BN) / (V * NT)];
#pragma unroll
    for (int i = 0; i < high * wide / (V * NT); i++) {
        const int at = threadIdx.x + i * NT, y = at / (wide / V), x = at % (wide / V) * V;
        const T *vector = from + (size_t)y * ld + x;
        vectors[i] = y < rows && x + V <= columns ? load_whole(vector)
                                                  : load_vector(vector, y < rows ? columns - x : 0);
    }
#pragma unroll
    for (int i = 0; i < high * wide / (V * NT); i++) {
        const int at = threadIdx.x + i * NT, y = at / (wide / V), x = at % (wide / V) * V;
        *(uint4 *)(tile + place_of(wide, y, x)) = vectors[i];
    }
}

// Copies the tiles of the step that begins at k.
__device__ static inline void copy_tiles(T *to, int M, int N, int K, int k, const T *A, int lda,
                                         const T *B, int ldb, bool aligned_a, bool aligned_b)
{
    copy_tile(to, HIGH_A, WIDE_A, A + (TA ? (size_t)k * lda : k), lda, aligned_a, TA ? K - k : M,
              TA ? M : K - k);
    copy_tile(to + BM * BK, HIGH_B, WIDE_B, B + (TB ? k : (size_t)k * ldb), ldb, aligned_b,
              TB ? N : K - k, TB ? K - k : N);
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

// Exchanges pairs of adjacent columns between lanes, so that a lane has four columns of one group
// of 8: an even lane sends its pair of the right group to the next lane and receives its left one.
__device__ static inline float4 exchange(const float *left, const float *right, int lane)
{
    const bool odd = lane % 2;
    const float x = __shfl_xor_sync(~0u, odd ? left[0] : right[0], 1);
    const float y = __shfl_xor_sync(~0u, odd ? left[1] : right[1], 1);
    return odd ? make_float4(x, y, right[0], right[1]) : make_float4(left[0], left[1], x, y);
}

__global__ void __launch_bounds__(NT, BLOCKS)
    stages(int M, int N, int K, float alpha, const T *A, int lda, const T *B, int ldb, float beta,
           T_C *C, int ldc, long long stride_a, long long stride_b, long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    A = of_batch(A, stride_a, arrays);
    B = of_batch(B, stride_b, arrays);
    extern __shared__ uint4 shared[];
    T *const stage = (T *)shared;
    const int row = blockIdx.y * BM, column = blockIdx.x * BN, steps = (K + BK - 1) / BK;
    A += TA ? row : (size_t)row * lda;
    B += TB ? (size_t)column * ldb : column;
    const bool aligned_a = lda % V == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % V == 0 && (size_t)B % 16 == 0;

    // The copies of STAGES-1 tiles are issued before the first wait.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
            copy_tiles(stage + s * STAGE, M - row, N - column, K, s * BK, A, lda, B, ldb, aligned_a,
                       aligned_b);
        cp_async_commit();
    }

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM, c = warp % (BN / WN) * WN;
    float sum[WM / 16][WN / 8][4] = {};
    int read = 0, write = STAGES - 1;
    for (int step = 0; step < steps; step++) {
        // This step's tile has arrived, and every warp has read the one before it.
        cp_async_wait(STAGES - 2);
        __syncthreads();
        if (step + STAGES - 1 < steps)
            copy_tiles(stage + write * STAGE, M - row, N - column, K, (step + STAGES - 1) * BK, A,
                       lda, B, ldb, aligned_a, aligned_b);
        cp_async_commit();
        write = write == STAGES - 1 ? 0 : write + 1;
        const unsigned tile_a = shared_address(stage + read * STAGE), tile_b = tile_a + 2 * BM * BK;
        read = read == STAGES - 1 ? 0 : read + 1;
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
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
    }

    C = of_batch(C, stride_c, arrays);
    const bool aligned_c = ldc % 4 == 0 && (size_t)C % (4 * sizeof(T_C)) == 0;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int y = row + r + lane / 4 + i * 16 + e * 8;
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) {
                const float4 four = exchange(&sum[i][j][2 * e], &sum[i][j + 1][2 * e], lane);
                const int x = column + c + (j + lane % 2) * 8 + lane % 4 / 2 * 4;
                if (y < M)
                    store_up_to_four(C + (size_t)y * ldc + x, N - x, aligned_c, four, alpha, beta);
            }
        }
}
