// 23_clusters.cu: two blocks compute adjacent tiles, and what both need is read from L2 once.
// SPDX-License-Identifier: MIT
//@ title    Clusters and multicast
//@ after    20_specialised
//@ idea     the blocks of a cluster have tiles of the same columns: each loads a share of B for all
//@ idea     sums are stored as whole rows of 128 bytes, through shared memory
//@ idea     one read of L2 is written to the shared memory of all of them
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, STAGES 4 {3,4}, GROUP 4 {1,2,4,8}, CLUSTER 2 {1,2,4}
//@ let      BK = 64, V = 8, GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = BK*(BM+BN), PACK_NT = 256
//@ let      PITCH = 40, STAGING = 8*16*PITCH*4
//@ let      SHARE = BN/CLUSTER, BOX_A = TA*BK+(1-TA)*BM, BOX_B = TB*SHARE+(1-TB)*BK
//@ require  SMEM_MAX >= STAGES*STAGE*2+STAGING+2048 "all stages in shared memory"
//@ require  SHARE >= 64 "a box has 64 columns of B"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM*CLUSTER), columns = cdiv(N,BN)
//@ arg      mapped = K>0 && lda%V==0 && ldb%V==0 && aligned(A,16) && aligned(B,16)
//@ work     PA = T[max((1-mapped)*rows*CLUSTER*steps*BM*BK,1)]
//@ work     PB = T[max((1-mapped)*columns*steps*BN*BK,1)]
//@ map      map_a = A[BOX_A,BK] swizzle128, map_b = B[BOX_B,BK] swizzle128
//@ kernel   multiply_mapped
//@ when     mapped
//@ grid     min(rows*columns,SMS/CLUSTER)*CLUSTER
//@ cluster  CLUSTER
//@ block    NT
//@ smem     STAGES*STAGE*2+1024+STAGING
//@ kernel   pack_a
//@ when     !mapped && K>0
//@ grid     steps, rows*CLUSTER
//@ block    PACK_NT
//@ kernel   pack_b
//@ when     !mapped && K>0
//@ grid     steps, columns
//@ block    PACK_NT
//@ kernel   multiply_packed
//@ when     !mapped
//@ grid     min(rows*columns,SMS/CLUSTER)*CLUSTER
//@ cluster  CLUSTER
//@ block    NT
//@ smem     STAGES*STAGE*2+1024+STAGING
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper
//
// After 20_specialised: blocks are launched in pairs (cluster.h). The two tiles of a pair are one
// below the other, so both need the same columns of B: each block loads half of them, and the copy
// engine writes what it reads to both. A stage can be filled when both blocks have finished reading
// it, so each warp signals both.
// Tile: 128 x 256 by 64 deep, a pair 256 x 256.
// Intensity at 4096: 85.3 FLOP/byte of shared memory that is filled, 2*256*256 / (2*(256+256)) =
// 128 FLOP/byte of what is read from L2. At 750 TFLOP/s these are 5.9 TB/s, and in 20_specialised
// 8.8; L2 delivers 7 to 8.4 (measured on an H200).
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 218112 bytes: 1 block.
//
//                B  left half  right half           shared memory
//                  +----------+----------+          block 0        block 1
//                  | loaded   | loaded   |        +-----------+  +-----------+
//                  | by 0     | by 1     |        | A0        |  | A1        |
//                  +----------+----------+        | left      |  | left      |  each half is read
//     A  block 0   |                     |        | right     |  | right     |  once for both
//        ----------|  tile of block 0    |        +-----------+  +-----------+
//        block 1   |---------------------|
//                  |  tile of block 1    |
//
// Stores: whole rows of 128 bytes (store_rows.h); 20_specialised stores 8 rows of 32 bytes.
#include "cluster.h"
#include "cp_async.h"
#include "mbarrier.h"
#include "store_rows.h"
#include "tma.h"
#include "wgmma.h"

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

// The source of a block's tiles: tensor maps, or packed tiles, one after another.
struct source {
    const CUtensorMap *map_a, *map_b;
    const T *PA, *PB;
};

// This block's tile: down GROUP rows of clusters, then one column to the right. Blocks that run at
// the same time thus form an almost square patch, and read fewer rows and columns.
__device__ static inline int2 tile_of(int tile, int rows, int columns)
{
    const int group = tile / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = tile - first * columns;
    return make_int2((first + place % height) * CLUSTER + cluster_rank(), place / height);
}

// One thread issues the copies of the tile of A and of its block's share of that of B; the mbarrier
// counts the bytes of both whole tiles, including those that other blocks load.
__device__ static inline void fill_stage(const struct source *from, unsigned stage,
                                         unsigned barrier, int2 tile, int step, int steps)
{
    const unsigned share = cluster_rank() * SHARE, all = (1 << CLUSTER) - 1;
    const int row = tile.x * BM, column = tile.y * BN + share, k = step * BK;
    const unsigned stage_b = stage + 2 * BM * BK + share * 2 * BK;
    mbarrier_expect(barrier, 2 * STAGE);
    if (from->PA) {
        bulk_load(stage, from->PA + ((size_t)tile.x * steps + step) * (BM * BK), 2 * BM * BK,
                  barrier);
        bulk_load_shared(stage_b,
                         from->PB + ((size_t)tile.y * steps + step) * (BN * BK) + share * BK,
                         2 * SHARE * BK, barrier, all);
        return;
    }
    // A box spans 64 columns of the stored matrix.
    if (TA)
        for (int i = 0; i < BM; i += 64)
            tma_load(stage + i * 2 * BK, from->map_a, k, row + i, barrier);
    else
        tma_load(stage, from->map_a, row, k, barrier);
    if (TB)
        tma_load_shared(stage_b, from->map_b, column, k, barrier, all);
    else
        for (int j = 0; j < SHARE; j += 64)
            tma_load_shared(stage_b + j * 2 * BK, from->map_b, k, column + j, barrier, all);
}

// The descriptor of 16 of k of a tile: 32 bytes of each row, or 16 rows.
__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
}

// Stores a warp's sums of 16 rows of a tile through its own rows of shared memory.
__device__ static inline void store_sums(const float *sum, float *mine, int M, int N, int row,
                                         int column, float alpha, float beta, T_C *C, int ldc)
{
    const bool aligned = ldc % 4 == 0 && (size_t)C % 16 == 0;
#pragma unroll
    for (int c = column; c < column + BN; c += 32) {
        put_sums(mine, PITCH, sum + (c - column) / 2);
        __syncwarp();
        store_rows(C + (size_t)row * ldc + c, ldc, M - row, N - c, aligned, mine, PITCH, alpha,
                   beta);
        __syncwarp();
    }
}

__device__ static inline void multiply(const struct source *from, int M, int N, int steps, int rows,
                                       int columns, float alpha, float beta, T_C *C, int ldc)
{
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * STAGES];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    const unsigned full = shared_address(barriers), empty = full + STAGES * 8;
    float *const staging =
        (float *)(shared + (base - shared_address(shared) + STAGES * STAGE * 2) / 16);
    const int warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(full + s * 8, 1);
            mbarrier_init(empty + s * 8, 4 * GROUPS * CLUSTER);
        }
        mbarrier_init_done();
    }
    cluster_sync_relaxed();
    const int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
    // Producer and consumers go through the same steps of the same tiles; `parity` changes when the
    // stages repeat.
    int stage = 0;
    unsigned parity = 0;
    if (warp < 0) {
        warpgroup_keeps_registers(40);
        if (threadIdx.x < 32 && elected())
            for (int t = first; t < rows * columns; t += clusters) {
                const int2 tile = tile_of(t, rows, columns);
                for (int step = 0; step < steps; step++) {
                    mbarrier_wait(empty + stage * 8, parity ^ 1);
                    fill_stage(from, base + stage * 2 * STAGE, full + stage * 8, tile, step, steps);
                    stage = stage == STAGES - 1 ? 0 : stage + 1;
                    parity ^= stage == 0;
                }
            }
    } else {
        warpgroup_takes_registers(232);
        float sum[BN / 2];
        for (int t = first; t < rows * columns; t += clusters) {
            const int2 tile = tile_of(t, rows, columns);
            int before = 0;
            for (int step = 0; step < steps; step++) {
                const unsigned tile_a = base + stage * 2 * STAGE + warp / 4 * (64 * 2 * BK);
                const unsigned tile_b = base + stage * 2 * STAGE + 2 * BM * BK;
                mbarrier_wait(full + stage * 8, parity);
                wgmma_fence();
#pragma unroll
                for (int k = 0; k < BK; k += 16) {
                    const unsigned long long a = part_of(tile_a, TA, k);
                    const unsigned long long b = part_of(tile_b, !TB, k);
                    if (BN == 256)
                        wgmma_64x256x16((const T *)0, sum, a, b, step + k > 0, TA, !TB);
                    else
                        wgmma_64x128x16((const T *)0, sum, a, b, step + k > 0, TA, !TB);
                }
                wgmma_commit();
                // The products of the previous step are complete: this warp has read its stage.
                wgmma_wait(1);
                if (step > 0 && lane < CLUSTER)
                    mbarrier_arrive_at(empty + before * 8, lane);
                before = stage;
                stage = stage == STAGES - 1 ? 0 : stage + 1;
                parity ^= stage == 0;
            }
            wgmma_wait(0);
            if (steps > 0 && lane < CLUSTER)
                mbarrier_arrive_at(empty + before * 8, lane);
            for (int i = 0; i < BN / 2 && steps == 0; i++)
                sum[i] = 0;
            store_sums(sum, staging + warp * 16 * PITCH, M, N, tile.x * BM + warp * 16, tile.y * BN,
                       alpha, beta, C, ldc);
        }
    }
    __syncwarp();
    cluster_sync();
}

__global__ void __launch_bounds__(NT, 1)
    multiply_mapped(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                    int ldc, const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b)
{
    const struct source from = {&map_a, &map_b, 0, 0};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

__global__ void __launch_bounds__(NT, 1)
    multiply_packed(int M, int N, int K, int rows, int columns, float alpha, float beta, T_C *C,
                    int ldc, const T *PA, const T *PB)
{
    const struct source from = {0, 0, PA, PB};
    multiply(&from, M, N, (K + BK - 1) / BK, rows, columns, alpha, beta, C, ldc);
}

// Packs a tile of `side` rows of A or columns of B by BK in the layout of tma_load: boxes with rows
// of 128 bytes, in which the pieces of 16 bytes are swizzled.
__device__ static inline void pack(T *to, int side, bool along, const T *from, int ld, int rows,
                                   int columns)
{
    const int high = along ? side : BK;
    for (int at = threadIdx.x; at < side * BK / V; at += PACK_NT) {
        const int box = at / (high * 8), y = at / 8 % high, x = box * 64 + at % 8 * V;
        const T *vector = from + (size_t)y * ld + x;
        const int count = y < rows ? columns - x : 0;
        *(uint4 *)(to + (at / 8 * 8 + (at % 8 ^ y % 8)) * V) =
            count >= V ? load_whole(vector) : load_vector(vector, count);
    }
}

__global__ void __launch_bounds__(PACK_NT)
    pack_a(int M, int K, const T *A, int lda, int steps, T *PA)
{
    const int row = blockIdx.y * BM, k = blockIdx.x * BK;
    pack(PA + ((size_t)blockIdx.y * steps + blockIdx.x) * (BM * BK), BM, !TA,
         A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda, TA ? K - k : M - row,
         TA ? M - row : K - k);
}

__global__ void __launch_bounds__(PACK_NT)
    pack_b(int N, int K, const T *B, int ldb, int steps, T *PB)
{
    const int column = blockIdx.y * BN, k = blockIdx.x * BK;
    pack(PB + ((size_t)blockIdx.y * steps + blockIdx.x) * (BN * BK), BN, TB,
         B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
         TB ? N - column : K - k, TB ? K - k : N - column);
}
