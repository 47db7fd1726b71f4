// 19_wgmma.cu: Hopper's warpgroup products, of tiles that the tensor memory accelerator copies.
// SPDX-License-Identifier: MIT
//@ title    Warpgroups and TMA (wgmma)
//@ after    18_stages
//@ idea     wgmma multiplies from shared memory, no fragment goes through registers
//@ idea     one thread requests copies of whole tiles; an mbarrier completes when they have arrived
//@ idea     operands whose rows are not aligned to 16 bytes are first packed into tiles
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=f16 B=f16 C=f32 ACC=f32
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {64,128,192}, BN 256 {128,256}, STAGES 4 {3,4}
//@ let      BK = 64, V = 8, NT = BM/64*128, STAGE = BK*(BM+BN), PACK_NT = 256
//@ let      BOX_A = TA*BK+(1-TA)*BM, BOX_B = TB*BN+(1-TB)*BK
//@ require  SMEM_MAX >= STAGES*STAGE*2+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      mapped = K>0 && lda%V==0 && ldb%V==0 && aligned(A,16) && aligned(B,16)
//@ work     PA = T[max((1-mapped)*rows*steps*BM*BK,1)]
//@ work     PB = T[max((1-mapped)*columns*steps*BN*BK,1)]
//@ map      map_a = A[BOX_A,BK] swizzle128, map_b = B[BOX_B,BK] swizzle128
//@ kernel   multiply_mapped
//@ when     mapped
//@ grid     columns, rows
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
//@ grid     columns, rows
//@ block    NT
//@ smem     STAGES*STAGE*2+1024
//@ expect   spills == 0, regs <= 160 @sm_90
//@ source   PTX ISA, wgmma and cp.async.bulk.tensor; NVIDIA CUTLASS
//
// After 18_stages: a warpgroup of 4 warps multiplies 64 x 256 at a time, straight from shared
// memory (wgmma.h). One thread requests the tiles (tma.h), and no thread computes addresses; the
// barrier of a stage counts their bytes (mbarrier.h). Elements outside a matrix become zeros. If
// the rows of a tile are steps of k, a bit of the instruction is set.
// The copy engine requires rows that begin at multiples of 16 bytes. If those of A or B do not
// (an odd leading dimension, an address that is off by an element), both are first packed into
// the layout that the engine would write, so that a tile is one copy of contiguous bytes.
// Tile: 128 x 256 by 64 deep, 128 bytes of each row; 2 warpgroups of 64 x 256, 128 sums a
// thread.
// Intensity at 4096: 2*128*256 / (2*(128+256)) = 85.3 FLOP/byte.
// Bounds for 16 of k and a warpgroup: 64*256*16 multiply-adds, 128 cycles of the multiprocessor
// at 2048 a cycle; it reads 64 + 256 rows of 32 bytes, 80 cycles of its shared memory.
// A packed operand is read and written once more: at 4095 that is 134 MB, 0.04 ms at 3 TB/s; the
// product takes 0.2 ms.
// Banks: swizzled by the copy engine as in 17_ldmatrix.
// Occupancy on sm_90: 154 registers * 256 threads and 197632 bytes: 1 block, 8 warps.
//
//   step        s                     s+1                   s+2
//   copy       |.. |tile s+3         |.. |tile s+4         |       into the stage of step s-1
//   multiply   |4 of 16 of k         |4 of 16 of k         |
//              ^ wait for tile s; issue 4 products; wait for those of step s-1; barrier
//
//      k along: one box           k across: a box for each 64 of the side
//       k 0 .. 63 (128 bytes)      m 0 .. 63   64 .. 127
//      +-----------------+       +----------+----------+
//    m |                 |     k |          |          |    squares of 8 rows of 128 bytes are
//      |                 |       |          |          |    swizzled, and follow one another
//      +-----------------+       +----------+----------+
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

// One thread issues the copies of a step's tiles; the mbarrier counts all of their bytes.
__device__ static inline void fill_stage(const struct source *from, unsigned stage,
                                         unsigned barrier, int step, int steps)
{
    const int row = blockIdx.y * BM, column = blockIdx.x * BN, k = step * BK;
    const unsigned stage_b = stage + 2 * BM * BK;
    mbarrier_expect(barrier, 2 * STAGE);
    if (from->PA) {
        bulk_load(stage, from->PA + ((size_t)blockIdx.y * steps + step) * (BM * BK), 2 * BM * BK,
                  barrier);
        bulk_load(stage_b, from->PB + ((size_t)blockIdx.x * steps + step) * (BN * BK), 2 * BN * BK,
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

__device__ static inline void multiply(const struct source *from, int M, int N, int steps,
                                       float alpha, float beta, T_C *C, int ldc, float *sum)
{
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long full[STAGES];
    const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
    const unsigned barrier = shared_address(full);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(barrier + s * 8, 1);
        mbarrier_init_done();
        for (int s = 0; s < STAGES - 1 && s < steps; s++)
            fill_stage(from, base + s * 2 * STAGE, barrier + s * 8, s, steps);
    }
    __syncthreads();
    int read = 0, write = STAGES - 1;
    unsigned parity = 0;
    for (int step = 0; step < steps; step++) {
        const unsigned tile_a = base + read * 2 * STAGE + warp / 4 * (64 * 2 * BK);
        const unsigned tile_b = base + read * 2 * STAGE + 2 * BM * BK;
        mbarrier_wait(barrier + read * 8, parity);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            const unsigned long long a = part_of(tile_a, TA, k), b = part_of(tile_b, !TB, k);
            if (BN == 256)
                wgmma_64x256x16((const T *)0, sum, a, b, step + k > 0, TA, !TB);
            else
                wgmma_64x128x16((const T *)0, sum, a, b, step + k > 0, TA, !TB);
        }
        wgmma_commit();
        // The products of the previous step are complete in both warpgroups: fill its stage.
        wgmma_wait(1);
        __syncthreads();
        if (threadIdx.x == 0 && step + STAGES - 1 < steps)
            fill_stage(from, base + write * 2 * STAGE, barrier + write * 8, step + STAGES - 1,
                       steps);
        write = write == STAGES - 1 ? 0 : write + 1;
        read = read == STAGES - 1 ? 0 : read + 1;
        parity ^= read == 0;
    }
    wgmma_wait(0);
    for (int i = 0; i < BN / 2 && steps == 0; i++)
        sum[i] = 0;

    const bool aligned_c = ldc % 2 == 0 && (size_t)C % (2 * sizeof(T_C)) == 0;
    const int row = blockIdx.y * BM + warp * 16 + lane / 4;
    const int column = blockIdx.x * BN + lane % 4 * 2;
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

__global__ void __launch_bounds__(NT)
    multiply_mapped(int M, int N, int K, float alpha, float beta, T_C *C, int ldc,
                    const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b)
{
    float sum[BN / 2];
    const struct source from = {&map_a, &map_b, 0, 0};
    multiply(&from, M, N, (K + BK - 1) / BK, alpha, beta, C, ldc, sum);
}

__global__ void __launch_bounds__(NT) multiply_packed(int M, int N, int K, float alpha, float beta,
                                                      T_C *C, int ldc, const T *PA, const T *PB)
{
    float sum[BN / 2];
    const struct source from = {0, 0, PA, PB};
    multiply(&from, M, N, (K + BK - 1) / BK, alpha, beta, C, ldc, sum);
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
