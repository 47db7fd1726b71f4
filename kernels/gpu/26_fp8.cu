// 26_fp8.cu: 8-bit floating-point numbers, with sums that are promoted every 128 of k.
// SPDX-License-Identifier: MIT
//@ title    FP8 (wgmma)
//@ after    25_tf32
//@ idea     e4m3 or e5m2 in: twice as many products as in bf16 from the same bytes
//@ idea     the tensor cores' sums have 13 bits: floats add those of every 128 of k
//@ idea     a matrix that is stored across k is transposed in words of four bytes
//@ type     A=e4m3 B=e4m3 C=f32 ACC=f22, A=e5m2 B=e5m2 C=f32 ACC=f22
//@ type     A=e4m3 B=e4m3 C=bf16 ACC=f22, A=e5m2 B=e5m2 C=bf16 ACC=f22
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, STAGES 4 {3,4}, GROUP 8 {1,4,8,16}
//@ param    PLACES 2 {2,4}
//@ let      BK = 128, V = 16, GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = 128*(BM+BN)
//@ let      PACK_NT = 256, STAGING = BM/16*2048*PLACES
//@ require  SMEM_MAX >= STAGES*STAGE+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      mapped_a = K>0 && TA==0 && lda%V==0 && aligned(A,16)
//@ arg      mapped_b = K>0 && TB==1 && ldb%V==0 && aligned(B,16)
//@ work     PA = T[max((1-mapped_a)*rows*steps*BM*BK,1)]
//@ work     PB = T[max((1-mapped_b)*columns*steps*BN*BK,1)]
//@ arg      chunk = 128/C_BYTES
//@ arg      stored = K>0 && N*C_BYTES%16==0 && ldc*C_BYTES%16==0 && aligned(C,16)
//@ map      map_a = A[BM,BK] swizzle128, map_b = B[BN,BK] swizzle128
//@ map      map_c = C[16,chunk] swizzle128 optional by_address
//@ kernel   pack_a
//@ when     !mapped_a && K>0
//@ grid     steps, rows
//@ block    PACK_NT
//@ kernel   pack_b
//@ when     !mapped_b && K>0
//@ grid     steps, columns
//@ block    PACK_NT
//@ kernel   multiply_mapped
//@ when     mapped_a && mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+STAGING+1024
//@ kernel   multiply_packed_a
//@ when     !mapped_a && mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+STAGING+1024
//@ kernel   multiply_packed_b
//@ when     mapped_a && !mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+STAGING+1024
//@ kernel   multiply_packed
//@ when     !mapped_a && !mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+STAGING+1024
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   DeepSeek-AI, DeepGEMM: fine-grained promotion of FP8 sums; docs/tensor-cores.md
//
// After 25_tf32: a row of 128 bytes is 128 of k, and an instruction takes 32 of them.
// Hopper's tensor cores align the products of an instruction and the previous sum to the
// largest of them and truncate what is more than 13 bits after its binary point, toward zero
// (f22: 1 + 8 + 13 bits). In a sum of 4096 of k, each of 128 instructions may lose 33 such
// bits: up to 0.5 of sum|a||b|, and since truncation is always toward zero, sums of equal signs
// do lose. Here they sum 128 of k from zero, 4 instructions, and float registers add these
// sums, rounded to nearest. Then at most 4*33*2^-13 = 0.016 of sum|a||b| is lost, for any K;
// products that are within 2^6 of the largest lose nothing until the previous sum is larger
// than they are. As in 21_accurate a thread has 128 sums of its own and 64 of the tensor cores,
// so a warpgroup's 64 x 256 are computed in two halves. While it adds, the tensor cores work
// for the other warpgroup.
// Tile: 128 x 256 by 128 deep; 2 warpgroups of 64 x 256.
// Intensity at 4096: 2*128*256 / (128+256) = 170.7 FLOP/byte from L2.
// Stores: C by the copy engine if its rows are aligned to 16 bytes, while the next tile is
// multiplied (copy_out.h).
// Bounds for 128 of k: 4 instructions a half and warpgroup, 64 cycles each at 4096 multiply-adds a
// cycle, 1024 cycles for all; 2 warpgroups add 128 sums a thread, 256 issue slots of each
// scheduler. Shared memory: an instruction reads 64 + 128 rows of 32 bytes, 48 of its 64 cycles.
// Banks: where bytes are transposed, 8 threads write at a time, to 2 of 8 places.
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 230400 bytes: 1 block.
//
//   k     0 .. 31   32 .. 63   64 .. 95   96 .. 127 | 128 ..
//        +---------+----------+----------+----------+--------
//   part | 0 + ..  | + ..     | + ..     | + ..     | 0 + ..     13 bits, truncated
//        +---------+----------+----------+----------+--------
//   sum                                   sum += part            float, to nearest
#include <cuda_fp8.h> // T is one of its types

#include "copy_out.h"
#include "cp_async.h"
#include "mbarrier.h"
#include "pack_tile.h"
#include "tma.h"
#include "wgmma.h"

// The source of a block's tiles: a tensor map, or packed tiles, one after another.
struct source {
    const CUtensorMap *map_a, *map_b;
    const T *PA, *PB;
};

// The tile of a block: down GROUP rows of tiles, then one column to the right. Blocks that run at
// the same time thus form an almost square patch, not a strip, and read fewer rows and columns.
__device__ static inline int2 tile_of(int tile, int rows, int columns)
{
    const int group = tile / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = tile - first * columns;
    return make_int2(first + place % height, place / height);
}

// One thread issues the copies of a step's tiles, 128 bytes of each row of A and column of B; the
// mbarrier counts all of their bytes.
__device__ static inline void fill_stage(const struct source *from, unsigned stage,
                                         unsigned barrier, int2 tile, int step, int steps)
{
    const unsigned stage_b = stage + 128 * BM;
    mbarrier_expect(barrier, STAGE);
    if (from->PA)
        bulk_load(stage, from->PA + ((size_t)tile.x * steps + step) * (BM * BK), 128 * BM, barrier);
    else
        tma_load(stage, from->map_a, tile.x * BM, step * BK, barrier);
    if (from->PB)
        bulk_load(stage_b, from->PB + ((size_t)tile.y * steps + step) * (BN * BK), 128 * BN,
                  barrier);
    else
        tma_load(stage_b, from->map_b, tile.y * BN, step * BK, barrier);
}

// Where C is, and how it is written: by the copy engine, or by the threads if `map` is null.
struct target {
    const CUtensorMap *map;
    T_C *C;
    int M, N, ldc;
    float alpha, beta;
};

// Stores a warp's sums, from this row and column on, by the copy engine through `mine`.
__device__ static inline void store_sums(const struct target *to, float *sum, int row, int column,
                                         char *mine)
{
    if (to->map) {
        scale_sums(BN / 2, sum, to->alpha);
        copy_out<PLACES>(to->map, to->C, to->M - row, to->N - column, row, column, BN, sum, mine);
        return;
    }
    const bool aligned_c = to->ldc % 2 == 0 && (size_t)to->C % (2 * sizeof(T_C)) == 0;
    const int lane = threadIdx.x % 32, x = column + lane % 4 * 2;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int y = row + lane / 4 + h * 8;
        if (y >= to->M)
            continue;
#pragma unroll
        for (int j = 0; j < BN / 8; j++)
            store_two(to->C + (size_t)y * to->ldc + x + j * 8, to->N - x - j * 8, aligned_c,
                      sum + j * 4 + h * 2, to->alpha, to->beta);
    }
}

__device__ static inline void multiply(const struct source *from, const struct target *to,
                                       int steps, int rows, int columns)
{
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * STAGES];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    const unsigned full = shared_address(barriers), empty = full + STAGES * 8;
    const int warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(full + s * 8, 1);
            mbarrier_init(empty + s * 8, 4 * GROUPS);
        }
        mbarrier_init_done();
    }
    __syncthreads();
    // Producer and consumers go through the same steps of the same tiles; `parity` changes when the
    // stages repeat.
    int stage = 0;
    unsigned parity = 0;
    if (warp < 0) {
        warpgroup_keeps_registers(40);
        if (threadIdx.x < 32 && elected())
            for (int t = blockIdx.x; t < rows * columns; t += gridDim.x) {
                const int2 tile = tile_of(t, rows, columns);
                for (int step = 0; step < steps; step++) {
                    mbarrier_wait(empty + stage * 8, parity ^ 1);
                    fill_stage(from, base + stage * STAGE, full + stage * 8, tile, step, steps);
                    stage = stage == STAGES - 1 ? 0 : stage + 1;
                    parity ^= stage == 0;
                }
            }
    } else {
        warpgroup_takes_registers(232);
        const int group = warp / 4;
        char *const staging = (char *)shared + (base - shared_address(shared)) + STAGES * STAGE +
                              warp * (2048 * PLACES);
        float sum[BN / 2], part[64];
        int2 tile = tile_of(blockIdx.x, rows, columns), next = tile;
        for (int t = blockIdx.x; t < rows * columns; t += gridDim.x, tile = next) {
#pragma unroll
            for (int i = 0; i < BN / 2; i++)
                sum[i] = 0;
            for (int step = 0; step < steps; step++) {
                const unsigned tile_a = base + stage * STAGE + group * (64 * 128);
                const unsigned tile_b = base + stage * STAGE + 128 * BM;
                mbarrier_wait(full + stage * 8, parity);
#pragma unroll
                for (int half = 0; half < BN / 128; half++) {
                    wgmma_fence();
#pragma unroll
                    for (int k = 0; k < BK; k += 32)
                        wgmma_64x128x32((const T *)0, part, wgmma_descriptor(tile_a + k, 0),
                                        wgmma_descriptor(tile_b + half * (128 * 128) + k, 0),
                                        k > 0);
                    wgmma_commit();
                    // Divisions take hundreds of cycles: not between two tiles.
                    if (step == 0 && half == 0)
                        next = tile_of(t + gridDim.x, rows, columns);
                    wgmma_wait(0);
                    wgmma_done(part, 64);
                    if (half == BN / 128 - 1 && lane == 0)
                        mbarrier_arrive(empty + stage * 8);
#pragma unroll
                    for (int i = 0; i < 64; i++)
                        sum[half * 64 + i] += part[i];
                }
                stage = stage == STAGES - 1 ? 0 : stage + 1;
                parity ^= stage == 0;
            }
            if (steps == 0)
                next = tile_of(t + gridDim.x, rows, columns);
            store_sums(to, sum, tile.x * BM + warp * 16, tile.y * BN, staging);
        }
        bulk_wait_read<0>(); // the copies to C have read this block's shared memory
    }
}

// Kernels with a map of an operand that is stored across k are never launched, and have no code.
__global__ void __launch_bounds__(NT, 1)
    multiply_mapped(int M, int N, int K, int rows, int columns, int stored, float alpha, float beta,
                    T_C *C, int ldc, const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ CUtensorMap map_c)
{
    if (TA || !TB)
        return;
    const struct source from = {&map_a, &map_b, 0, 0};
    const struct target to = {stored && beta == 0 ? &map_c : 0, C, M, N, ldc, alpha, beta};
    multiply(&from, &to, (K + BK - 1) / BK, rows, columns);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed_a(int M, int N, int K, int rows, int columns, int stored, float alpha,
                      float beta, T_C *C, int ldc, const T *PA,
                      const __grid_constant__ CUtensorMap map_b,
                      const __grid_constant__ CUtensorMap map_c)
{
    if (!TB)
        return;
    const struct source from = {0, &map_b, PA, 0};
    const struct target to = {stored && beta == 0 ? &map_c : 0, C, M, N, ldc, alpha, beta};
    multiply(&from, &to, (K + BK - 1) / BK, rows, columns);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed_b(int M, int N, int K, int rows, int columns, int stored, float alpha,
                      float beta, T_C *C, int ldc, const __grid_constant__ CUtensorMap map_a,
                      const T *PB, const __grid_constant__ CUtensorMap map_c)
{
    if (TA)
        return;
    const struct source from = {&map_a, 0, 0, PB};
    const struct target to = {stored && beta == 0 ? &map_c : 0, C, M, N, ldc, alpha, beta};
    multiply(&from, &to, (K + BK - 1) / BK, rows, columns);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed(int M, int N, int K, int rows, int columns, int stored, float alpha, float beta,
                    T_C *C, int ldc, const T *PA, const T *PB,
                    const __grid_constant__ CUtensorMap map_c)
{
    const struct source from = {0, 0, PA, PB};
    const struct target to = {stored && beta == 0 ? &map_c : 0, C, M, N, ldc, alpha, beta};
    multiply(&from, &to, (K + BK - 1) / BK, rows, columns);
}

__global__ void __launch_bounds__(PACK_NT)
    pack_a(int M, int K, const T *A, int lda, int steps, T *PA)
{
    const int row = blockIdx.y * BM, k = blockIdx.x * BK;
    pack_bytes<BN, PACK_NT>(PA + ((size_t)blockIdx.y * steps + blockIdx.x) * (BM * BK), BM, !TA,
                            A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda, M - row,
                            K - k);
}

__global__ void __launch_bounds__(PACK_NT)
    pack_b(int N, int K, const T *B, int ldb, int steps, T *PB)
{
    const int column = blockIdx.y * BN, k = blockIdx.x * BK;
    pack_bytes<BN, PACK_NT>(PB + ((size_t)blockIdx.y * steps + blockIdx.x) * (BN * BK), BN, TB,
                            B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                            N - column, K - k);
}
