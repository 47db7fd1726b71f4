// 25_tf32.cu: floats on the tensor cores with the 10 bits of tf32.
// SPDX-License-Identifier: MIT
//@ title    TF32 (wgmma)
//@ after    20_specialised
//@ idea     floats are rounded to tf32 and multiplied by the tensor cores, at half of bf16's rate
//@ idea     wgmma requires 32-bit operands to be contiguous along k: others are transposed first
//@ idea     the copy engine rounds while it copies; the kernel that transposes rounds too
//@ type     f32
//@ math     tf32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, STAGES 4 {3,4}, GROUP 8 {1,4,8,16}, BY_MAP 1 {0,1}
//@ let      BK = 32, V = 4, GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = 128*(BM+BN), PACK_NT = 256
//@ require  SMEM_MAX >= STAGES*STAGE+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      mapped_a = BY_MAP==1 && K>0 && TA==0 && lda%V==0 && aligned(A,16)
//@ arg      mapped_b = BY_MAP==1 && K>0 && TB==1 && ldb%V==0 && aligned(B,16)
//@ work     PA = T[max((1-mapped_a)*rows*steps*BM*BK,1)]
//@ work     PB = T[max((1-mapped_b)*columns*steps*BN*BK,1)]
//@ map      map_a = A[BM,BK] swizzle128, map_b = B[BN,BK] swizzle128
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
//@ smem     STAGES*STAGE+1024
//@ kernel   multiply_packed_a
//@ when     !mapped_a && mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+1024
//@ kernel   multiply_packed_b
//@ when     mapped_a && !mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+1024
//@ kernel   multiply_packed
//@ when     !mapped_a && !mapped_b
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE+1024
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper: tf32
//
// After 20_specialised: the same loop on floats. 128 bytes of a row are 32 of k, and an instruction
// takes 8 of them (wgmma.h); per cycle the tensor cores read as many bytes as with bf16, and make
// half as many products.
// Operands of 32 bits must be contiguous along k, as A is in `nn` and both are in `nt`. One that is
// not, or whose rows are not aligned to 16 bytes, is packed first: transposed, rounded, and written
// tile after tile in the layout of the copy engine. The other one need not be packed.
// Rounding: tensor cores ignore the lower 13 bits of a float, which would truncate toward zero and
// double the error. The maps here are of tf32 (`math tf32`), so that the copy engine rounds to
// nearest; packed operands are rounded by cvt.rn.tf32. BY_MAP=0 packs both always.
// Tile: 128 x 256 by 32 deep; 2 warpgroups of 64 x 256, 128 sums a thread.
// Intensity at 4096: 2*128*256 / (4*(128+256)) = 42.7 FLOP/byte from L2, half of 20_specialised's;
// at half of its speed that is the same traffic.
// Bounds for 8 of k and a warpgroup: 64*256*8 multiply-adds, 128 cycles of the multiprocessor at
// 1024 a cycle; it reads 64 + 256 rows of 32 bytes, 80 cycles of its shared memory.
// A packed operand is read and written once more: at 4096 that is 134 MB, 0.04 ms at 3 TB/s; the
// product takes 0.31 ms at the 440 TFLOP/s that tf32 can reach on an H200.
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 197632 bytes: 1 block.
//
//     stored along k: one box           stored across k: packed
//      k 0 .. 31 (128 bytes)             n 0 ..        a thread reads 4 of k of a column,
//     +-----------------+               +---------+    which is one piece of the tile's row
//   m |                 |             k | x       |       +-----------------+
//     |                 |               | x       | ->  n | xxxx            |
//     +-----------------+               | x       |       +-----------------+
//                                       | x       |
#include "cp_async.h"
#include "dependent_launch.h"
#include "mbarrier.h"
#include "pack_tile.h"
#include "store_two.h"
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

__device__ static inline void store_sums(const float *sum, int M, int N, int row, int column,
                                         float alpha, float beta, T_C *C, int ldc)
{
    const bool aligned_c = ldc % 2 == 0 && (size_t)C % (2 * sizeof(T_C)) == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int y = row + h * 8;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < BN / 8; j++)
            store_two(C + (size_t)y * ldc + column + j * 8, N - column - j * 8, aligned_c,
                      sum + j * 4 + h * 2, alpha, beta);
    }
}

__device__ static inline void multiply(const struct source *from, int M, int N, int steps, int rows,
                                       int columns, float alpha, float beta, T_C *C, int ldc)
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
        float sum[BN / 2];
        for (int t = blockIdx.x; t < rows * columns; t += gridDim.x) {
            const int2 tile = tile_of(t, rows, columns);
            int before = 0;
            for (int step = 0; step < steps; step++) {
                const unsigned tile_a = base + stage * STAGE + warp / 4 * (64 * 128);
                const unsigned tile_b = base + stage * STAGE + 128 * BM;
                mbarrier_wait(full + stage * 8, parity);
                wgmma_fence();
#pragma unroll
                for (int k = 0; k < BK; k += 8) {
                    const unsigned long long a = wgmma_descriptor(tile_a + k * 4, 0);
                    const unsigned long long b = wgmma_descriptor(tile_b + k * 4, 0);
                    if (BN == 256)
                        wgmma_64x256x8(sum, a, b, step + k > 0);
                    else
                        wgmma_64x128x8(sum, a, b, step + k > 0);
                }
                wgmma_commit();
                // The products of the previous step are complete: this warp has read its stage.
                wgmma_wait(1);
                if (step > 0 && lane == 0)
                    mbarrier_arrive(empty + before * 8);
                before = stage;
                stage = stage == STAGES - 1 ? 0 : stage + 1;
                parity ^= stage == 0;
            }
            wgmma_wait(0);
            if (steps > 0 && lane == 0)
                mbarrier_arrive(empty + before * 8);
            for (int i = 0; i < BN / 2 && steps == 0; i++)
                sum[i] = 0;
            store_sums(sum, M, N, tile.x * BM + warp * 16 + lane / 4, tile.y * BN + lane % 4 * 2,
                       alpha, beta, C, ldc);
        }
    }
}

// Kernels with a map of an operand that is stored across k are never launched, and have no code.
__global__ void __launch_bounds__(NT, 1)
    multiply_mapped(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                    int ldc, const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b)
{
    wait_for_earlier_grids();
    if (TA || !TB)
        return;
    const struct source from = {&map_a, &map_b, 0, 0};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed_a(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                      int ldc, const T *PA, const __grid_constant__ CUtensorMap map_b)
{
    wait_for_earlier_grids();
    if (!TB)
        return;
    const struct source from = {0, &map_b, PA, 0};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed_b(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                      int ldc, const __grid_constant__ CUtensorMap map_a, const T *PB)
{
    wait_for_earlier_grids();
    if (TA)
        return;
    const struct source from = {&map_a, 0, 0, PB};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                    int ldc, const T *PA, const T *PB)
{
    wait_for_earlier_grids();
    const struct source from = {0, 0, PA, PB};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

__global__ void __launch_bounds__(PACK_NT)
    pack_a(int M, int K, const T *A, int lda, int steps, T *PA)
{
    wait_for_earlier_grids();
    const int row = blockIdx.y * BM, k = blockIdx.x * BK;
    pack_tf32<BN, PACK_NT>(PA + ((size_t)blockIdx.y * steps + blockIdx.x) * (BM * BK), BM, !TA,
                           A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda, M - row,
                           K - k);
}

__global__ void __launch_bounds__(PACK_NT)
    pack_b(int N, int K, const T *B, int ldb, int steps, T *PB)
{
    wait_for_earlier_grids();
    const int column = blockIdx.y * BN, k = blockIdx.x * BK;
    pack_tf32<BN, PACK_NT>(PB + ((size_t)blockIdx.y * steps + blockIdx.x) * (BN * BK), BN, TB,
                           B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                           N - column, K - k);
}
