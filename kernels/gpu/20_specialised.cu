// 20_specialised.cu: one thread only loads, warpgroups only multiply; persistent blocks.
// SPDX-License-Identifier: MIT
//@ title    Producer and consumers
//@ after    19_wgmma
//@ idea     one thread loads ahead, two warpgroups multiply, and mbarriers synchronise them
//@ idea     the producer gives its registers to the consumers
//@ idea     a block computes several tiles: loads of the next one overlap the stores of this one
//@ idea     blocks that run at the same time share rows of A and columns of B in L2
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, STAGES 4 {3,4}, GROUP 8 {1,4,8,16}
//@ let      BK = 64, V = 8, GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = BK*(BM+BN), PACK_NT = 256
//@ let      BOX_A = TA*BK+(1-TA)*BM, BOX_B = TB*BN+(1-TB)*BK
//@ require  SMEM_MAX >= STAGES*STAGE*2+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      mapped = K>0 && lda%V==0 && ldb%V==0 && aligned(A,16) && aligned(B,16)
//@ work     PA = T[max((1-mapped)*rows*steps*BM*BK,1)]
//@ work     PB = T[max((1-mapped)*columns*steps*BN*BK,1)]
//@ map      map_a = A[BOX_A,BK] swizzle128, map_b = B[BOX_B,BK] swizzle128
//@ kernel   multiply_mapped
//@ when     mapped
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE*2+1024
//@ kernel   pack_a
//@ when     !mapped && K>0
//@ grid     steps, rows
//@ block    PACK_NT
//@ kernel   pack_b
//@ when     !mapped && K>0
//@ grid     steps, columns
//@ block    PACK_NT
//@ kernel   multiply_packed
//@ when     !mapped
//@ grid     min(rows*columns,SMS)
//@ block    NT
//@ smem     STAGES*STAGE*2+1024
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper
//
// After 19_wgmma: no barrier of all threads is left in the loop. One thread of the first warpgroup
// waits for an empty stage and requests its tiles; two warpgroups wait for a full stage, multiply,
// and mark it empty when its products are complete. No thread waits longer than necessary. The
// first warpgroup keeps 40 registers a thread, so that the others can have 232.
// A block is persistent and computes every gridDim.x-th tile, in the order of 12_best: while its
// sums are stored, the stages of the next tile are already being filled.
// Tile: 128 x 256 by 64 deep; 2 warpgroups of 64 x 256, 128 sums a thread.
// Intensity at 4096: 85.3 FLOP/byte from L2. The 132 blocks compute 8 rows of tiles by 16.5 columns
// at a time: 8*128 rows of A and 16.5*256 columns of B.
// Bounds: as in 19_wgmma. At 4096 there are 512 tiles, 3.88 waves of 132.
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 197632 bytes: 1 block.
//
//   thread 0    | fill 0 | fill 1 | fill 2 | fill 3 |    | wait empty[0], fill 0 | ..
//   warps 4..11 |        | wait full[0], multiply | arrive empty: step before; full[1], multiply ..
//
//   tiles: down GROUP rows, then one column to the right         t = blockIdx.x, + gridDim.x, ..
//         0  8 16 ..
//         1  9 17
//         ..
//         7 15 23        the next GROUP rows follow
#include "cp_async.h"
#include "mbarrier.h"
#include "store_two.h"
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

// The tile of a block: down GROUP rows of tiles, then one column to the right. Blocks that run at
// the same time thus form an almost square patch, not a strip, and read fewer rows and columns.
__device__ static inline int2 tile_of(int tile, int rows, int columns)
{
    const int group = tile / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = tile - first * columns;
    return make_int2(first + place % height, place / height);
}

// One thread issues the copies of a step's tiles; the mbarrier counts all of their bytes.
__device__ static inline void fill_stage(const struct source *from, unsigned stage,
                                         unsigned barrier, int2 tile, int step, int steps)
{
    const int row = tile.x * BM, column = tile.y * BN, k = step * BK;
    const unsigned stage_b = stage + 2 * BM * BK;
    mbarrier_expect(barrier, 2 * STAGE);
    if (from->PA) {
        bulk_load(stage, from->PA + ((size_t)tile.x * steps + step) * (BM * BK), 2 * BM * BK,
                  barrier);
        bulk_load(stage_b, from->PB + ((size_t)tile.y * steps + step) * (BN * BK), 2 * BN * BK,
                  barrier);
        return;
    }
    // A box spans 64 columns of the stored matrix.
    if (TA)
        for (int i = 0; i < BM; i += 64)
            tma_load(stage + i * 2 * BK, from->map_a, k, row + i, barrier);
    else
        tma_load(stage, from->map_a, row, k, barrier);
    if (TB)
        tma_load(stage_b, from->map_b, column, k, barrier);
    else
        for (int j = 0; j < BN; j += 64)
            tma_load(stage_b + j * 2 * BK, from->map_b, k, column + j, barrier);
}

// The descriptor of 16 of k of a tile: 32 bytes of each row, or 16 rows.
__device__ static inline unsigned long long part_of(unsigned tile, bool across, int k)
{
    return wgmma_descriptor(tile + (across ? k * 128 : k * 2), 64 * 128);
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
                    fill_stage(from, base + stage * 2 * STAGE, full + stage * 8, tile, step, steps);
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
