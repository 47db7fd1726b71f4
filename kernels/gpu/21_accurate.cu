// 21_accurate.cu: float32 with plain float32's accuracy on the tensor cores: six products of bf16.
// SPDX-License-Identifier: MIT
//@ title    Float32 from bf16 pieces
//@ after    20_specialised
//@ idea     each float is three pieces of bf16, and of their nine products six matter
//@ idea     the tensor cores sum 32 steps of k, small products first; float32 registers add these
//@ idea     sums that are not finite are computed again, in float64
//@ type     f32
//@ math     f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, STAGES 3 {2,3}, GROUP 8 {1,4,8,16}
//@ let      BK = 32, GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = 3*BK*(BM+BN), SPLIT_NT = 256
//@ let      STRIP = 16
//@ require  SMEM_MAX >= STAGES*STAGE*2+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      bias = 0, per_row = 0, activation = 0
//@ arg      shares = clamp(SMS/(rows*columns),1,max(steps/8,1))
//@ work     PA = bf16[max(3*rows*steps*BM*BK,1)]
//@ work     PB = bf16[max(3*columns*steps*BN*BK,1)]
//@ work     P = f32[max((shares>1)*shares*M*N,1)], again = s32[rows*columns*BM/STRIP]
//@ kernel   split
//@ when     K>0
//@ grid     steps, rows+columns
//@ block    SPLIT_NT
//@ kernel   multiply
//@ grid     min(rows*columns*shares,SMS)
//@ block    NT
//@ smem     STAGES*STAGE*2+128
//@ kernel   finish
//@ when     K>0
//@ grid     min(rows*columns*(BM/STRIP),8*SMS)
//@ block    BN
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   Henry, Tang and Heinecke, arXiv:1904.06376; Ootomo and Yokota, arXiv:2203.03341
//
// After 20_specialised: the same loop on three pieces of each float (split_bf16.h). A separate
// kernel makes them, so that each float is split once and not once a tile. It reads operands with
// any transpose and leading dimension, and writes tiles that one bulk copy loads. Six products of
// pieces, from the smallest to the largest:
//
//    piece of A     2     0     1     1     0     0
//    piece of B     0     2     1     0     1     0
//    about        2^-16 2^-16 2^-16 2^-8  2^-8   1     of the product; the other three are 2^-24
//
// The tensor cores truncate sums toward zero, so a long sum in them drifts: by 3e-4 at K = 65536.
// Here such a sum is 32 of k, from zero, and only the last two wgmma add large terms; float32
// registers add these sums, rounded to nearest. A thread has 128 sums of its own and 64 of the
// tensor cores, so a warpgroup's 64 x 256 are computed in two halves. While it adds, the tensor
// cores work for the other warpgroup.
//
// If there are few tiles, K is split into shares, which `finish` adds in float64, more accurately.
//
// Range: split_bf16.h scales by 2^16, so that denormal factors keep all bits, and factors from
// 2^112 and sums from 2^96 on become NaN or infinite, as do infinities and NaN of the operands. A
// strip of 16 rows with such a sum is not stored but marked, and `finish` computes it again from A
// and B in float64, which is slow.
//
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
// Tile: 128 x 256 by 32 deep; 2 warpgroups of 64 x 256.
// Intensity: 28.4 FLOP/byte from L2, 5 TB/s at 142 TFLOP/s.
// Bounds at 4096: 825 GFLOP of bf16 take 0.83 ms at 989 TFLOP/s, 0.96 ms at the 858 that 700 W
// allow. The split moves 335 MB, 0.08 ms at 4.2 TB/s.
// Shared memory: the reads of A and B take 96 bytes of 128 a cycle, the copies 24. In a tile, 8
// rows by 8 of k are 128 contiguous bytes, so that no swizzle is needed:
//
//      k 0..7        8..15       16..23      24..31       each of the three pieces of a tile
//     +-----------+-----------+-----------+-----------+
//     | row 0     | row 0     | row 0     | row 0     |   16 bytes a row
//     | row 1     | row 1     | ..        |           |
//     | ..        | ..        |           |           |   A: 128 rows, 2048 bytes a column
//     | row 127   | row 127   |           |           |   B: 256 rows, 4096
//     +-----------+-----------+-----------+-----------+
//
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 221312 bytes: 1 block.
// Tried on an H100: rows of 64 bytes with a 64-byte swizzle are 10 % slower, probably because of
// 16-byte stores by `split`, if a tile is across k; strict alternation of the warpgroups makes no
// difference. On the simulator, sums of 16 of k, a sum of their own for the largest products, and
// all nine products have nearly the same largest errors.
#include "cp_async.h"
#include "dependent_launch.h"
#include "epilogue.h"
#include "mbarrier.h"
#include "split_bf16.h"
#include "tma.h"
#include "wgmma.h"

__device__ static inline void store_two(float *c, int count, bool aligned, float2 two, float beta)
{
    if (aligned && count >= 2) {
        if (beta != 0) {
            const float2 old = *(const float2 *)c;
            two = make_float2(two.x + beta * old.x, two.y + beta * old.y);
        }
        *(float2 *)c = two;
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? two.x + beta * c[0] : two.x;
    if (count > 1)
        c[1] = beta != 0 ? two.y + beta * c[1] : two.y;
}

// The tile of a block: down GROUP rows of tiles, then one column to the right. Blocks that run at
// the same time thus form an almost square patch, not a strip, and read fewer rows and columns.
__device__ static inline int2 tile_of(int tile, int rows, int columns)
{
    const int group = tile / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = tile - first * columns;
    return make_int2(first + place % height, place / height);
}

// A unit of the work of a block: a tile and a share of its steps. The shares of a tile are
// consecutive units.
struct unit {
    int2 tile;
    int share, first, last;
};

__device__ static inline struct unit unit_of(int number, int rows, int columns, int steps,
                                             int shares)
{
    const int share = number % shares;
    const struct unit unit = {tile_of(number / shares, rows, columns), share,
                              share * steps / shares, (share + 1) * steps / shares};
    return unit;
}

// Multiplies 64 rows of A by 128 columns of B over BK of k, the small products first. Each piece of
// A is BM x BK, each piece of B is BN x BK.
__device__ __forceinline__ static void multiply_pieces(float *part, unsigned tile_a,
                                                       unsigned tile_b)
{
    const unsigned long long a = wgmma_descriptor_plain(tile_a, BM * 16);
    const unsigned long long b = wgmma_descriptor_plain(tile_b, BN * 16);
#pragma unroll
    for (int p = 0; p < 6; p++) {
        const int of_a = p == 0 ? 2 : p == 2 || p == 3, of_b = p == 1 ? 2 : p == 2 || p == 4;
#pragma unroll
        for (int k = 0; k < BK; k += 16)
            wgmma_64x128x16((const __nv_bfloat16 *)0, part, a + (of_a * BK + k) * BM * 2 / 16,
                            b + (of_b * BK + k) * BN * 2 / 16, p + k > 0, false, false);
    }
}

__device__ static inline bool all_finite(const float *sum)
{
    float zero = 0;
#pragma unroll
    for (int i = 0; i < BN / 2; i++)
        zero = fmaf(0, sum[i], zero);
    return __all_sync(0xffffffff, zero == 0);
}

__device__ static inline void store_sums(const float *sum, int M, int N, int row, int column,
                                         float unscale, float alpha, float beta, float *C, int ldc)
{
    const bool aligned_c = ldc % 2 == 0 && (size_t)C % 8 == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int y = row + h * 8;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < BN / 8; j++) {
            const float x0 = sum[j * 4 + h * 2] * unscale, x1 = sum[j * 4 + h * 2 + 1] * unscale;
            store_two(C + (size_t)y * ldc + column + j * 8, N - column - j * 8, aligned_c,
                      make_float2(alpha * x0, alpha * x1), beta);
        }
    }
}

__global__ void __launch_bounds__(NT, 1)
    multiply(int M, int N, int steps, int rows, int columns, int shares, float alpha, float beta,
             float *C, int ldc, const __nv_bfloat16 *PA, const __nv_bfloat16 *PB, float *P,
             int *again, long long bias, int per_row, int activation)
{
    wait_for_earlier_grids();
    const struct epilogue epilogue = epilogue_of(bias, per_row, activation, M, N);
    extern __shared__ uint4 shared[];
    __shared__ unsigned long long barriers[2 * STAGES];
    const unsigned base = (shared_address(shared) + 127) / 128 * 128;
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
    const int units = rows * columns * shares;
    int stage = 0;
    unsigned parity = 0;
    if (warp < 0) {
        warpgroup_keeps_registers(40);
        if (threadIdx.x < 32 && elected())
            for (int t = blockIdx.x; t < units; t += gridDim.x) {
                const struct unit unit = unit_of(t, rows, columns, steps, shares);
                for (int step = unit.first; step < unit.last; step++) {
                    const unsigned to = base + stage * 2 * STAGE, barrier = full + stage * 8;
                    mbarrier_wait(empty + stage * 8, parity ^ 1);
                    mbarrier_expect(barrier, 2 * STAGE);
                    bulk_load(to, PA + ((size_t)unit.tile.x * steps + step) * (3 * BM * BK),
                              6 * BM * BK, barrier);
                    bulk_load(to + 6 * BM * BK,
                              PB + ((size_t)unit.tile.y * steps + step) * (3 * BN * BK),
                              6 * BN * BK, barrier);
                    stage = stage == STAGES - 1 ? 0 : stage + 1;
                    parity ^= stage == 0;
                }
            }
    } else {
        warpgroup_takes_registers(232);
        const int group = warp / 4;
        float sum[BN / 2], part[64];
        for (int t = blockIdx.x; t < units; t += gridDim.x) {
            const struct unit unit = unit_of(t, rows, columns, steps, shares);
#pragma unroll
            for (int i = 0; i < BN / 2; i++)
                sum[i] = 0;
            for (int step = unit.first; step < unit.last; step++) {
                const unsigned tile_a = base + stage * 2 * STAGE + group * (64 * 16);
                const unsigned tile_b = base + stage * 2 * STAGE + 6 * BM * BK;
                mbarrier_wait(full + stage * 8, parity);
#pragma unroll
                for (int half = 0; half < BN / 128; half++) {
                    wgmma_fence();
                    multiply_pieces(part, tile_a, tile_b + half * (128 * 16));
                    wgmma_commit();
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
            const int row = unit.tile.x * BM + warp * 16 + lane / 4;
            const int column = unit.tile.y * BN + lane % 4 * 2;
            if (shares > 1) {
                store_sums(sum, M, N, row, column, SPLIT_UNSCALE, 1, 0,
                           P + (size_t)unit.share * M * N, N);
                continue;
            }
            const bool finite = all_finite(sum), finishing = finishes(&epilogue);
            if (finite && finishing) {
                const struct epilogue at =
                    epilogue_at(&epilogue, unit.tile.x * BM + warp * 16, unit.tile.y * BN);
#pragma unroll
                for (int i = 0; i < BN / 2; i++)
                    sum[i] *= SPLIT_UNSCALE;
                finish_sums(&at, BN, sum, alpha);
                if (is_gelu(&at))
                    gelu_sums(&at, BN / 2, 16, sum);
            }
            if (finite)
                store_sums(sum, M, N, row, column, finishing ? 1 : SPLIT_UNSCALE,
                           finishing ? 1 : alpha, beta, C, ldc);
            if (lane == 0)
                again[t * (BM / STRIP) + warp] = !finite;
        }
    }
}

// Splits a tile of `side` rows of A or columns of B by BK into three pieces, each in the layout
// that wgmma reads without a swizzle. `along`: adjacent elements in memory are adjacent along k.
__device__ static inline void split_tile(__nv_bfloat16 *to, int side, bool along, const float *from,
                                         int ld, int high, int wide)
{
    const bool aligned = ld % 4 == 0 && (size_t)from % 16 == 0;
    for (int at = threadIdx.x; at < side * BK / 8; at += SPLIT_NT) {
        const int row = along ? at / (BK / 8) : at % side,
                  k = (along ? at % (BK / 8) : at / side) * 8;
        const float *first = along ? from + (size_t)row * ld + k : from + (size_t)k * ld + row;
        const int count = along ? (row < high ? wide - k : 0) : (row < wide ? high - k : 0);
        float x[8];
        if (along && aligned && count >= 8) {
            *(float4 *)x = *(const float4 *)first;
            *(float4 *)(x + 4) = *(const float4 *)(first + 4);
        } else {
#pragma unroll
            for (int e = 0; e < 8; e++)
                x[e] = e < count ? first[along ? e : (size_t)e * ld] : 0;
        }
        unsigned words[4][3];
#pragma unroll
        for (int e = 0; e < 4; e++)
            split_two(SPLIT_SCALE * x[2 * e], SPLIT_SCALE * x[2 * e + 1], words[e]);
#pragma unroll
        for (int p = 0; p < 3; p++)
            *(uint4 *)(to + p * side * BK + (k / 8 * side + row) * 8) =
                make_uint4(words[0][p], words[1][p], words[2][p], words[3][p]);
    }
}

__global__ void __launch_bounds__(SPLIT_NT)
    split(int M, int N, int K, const float *A, int lda, const float *B, int ldb, int steps,
          int rows, __nv_bfloat16 *PA, __nv_bfloat16 *PB)
{
    wait_for_earlier_grids();
    const int step = blockIdx.x, k = step * BK;
    if (blockIdx.y < rows) {
        const int row = blockIdx.y * BM;
        split_tile(PA + ((size_t)blockIdx.y * steps + step) * (3 * BM * BK), BM, !TA,
                   A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda,
                   TA ? K - k : M - row, TA ? M - row : K - k);
    } else {
        const int tile = blockIdx.y - rows, column = tile * BN;
        split_tile(PB + ((size_t)tile * steps + step) * (3 * BN * BK), BN, TB,
                   B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                   TB ? N - column : K - k, TB ? K - k : N - column);
    }
}

// Adds the products of A and B in float64 for a strip of 16 rows, with one column per thread.
__device__ __forceinline__ static void add_products(double *sum, int M, int N, int K, int row,
                                                    int column, const float *A, int lda,
                                                    const float *B, int ldb)
{
    __shared__ float As[32][STRIP];
#pragma unroll
    for (int i = 0; i < STRIP; i++)
        sum[i] = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        __syncthreads();
        for (int at = threadIdx.x; at < 32 * STRIP; at += BN) {
            const int i = row + at / 32, k = k0 + at % 32;
            As[at % 32][at / 32] =
                i < M && k < K ? A[TA ? (size_t)k * lda + i : (size_t)i * lda + k] : 0;
        }
        __syncthreads();
        for (int k = k0; k < min(k0 + 32, K) && column < N; k++) {
            const double b = B[TB ? (size_t)column * ldb + k : (size_t)k * ldb + column];
#pragma unroll
            for (int i = 0; i < STRIP; i++)
                sum[i] = fma((double)As[k - k0][i], b, sum[i]);
        }
    }
}

// Adds the shares of strips that have several. Strips with a sum that is not finite are computed
// again. (If alpha is 0, a NaN of A or B does not reach C.)
__global__ void __launch_bounds__(BN)
    finish(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
           float beta, float *C, int ldc, int rows, int columns, int shares, const float *P,
           const int *again, long long bias, int per_row, int activation)
{
    wait_for_earlier_grids();
    const struct epilogue epilogue = epilogue_of(bias, per_row, activation, M, N);
    for (int strip = blockIdx.x; strip < rows * columns * (BM / STRIP); strip += gridDim.x) {
        if (shares == 1 && !again[strip])
            continue;
        const int2 tile = tile_of(strip / (BM / STRIP), rows, columns);
        const int row = tile.x * BM + strip % (BM / STRIP) * STRIP;
        const int column = tile.y * BN + threadIdx.x;
        const int count = column < N ? min(STRIP, M - row) : 0;
        double sum[STRIP] = {};
        for (int share = 0; share < shares && shares > 1; share++) {
            const float *from = P + ((size_t)share * M + row) * N + column;
#pragma unroll
            for (int i = 0; i < STRIP; i++)
                sum[i] += i < count ? from[(size_t)i * N] : 0;
        }
        bool finite = shares > 1;
#pragma unroll
        for (int i = 0; i < STRIP; i++)
            finite = finite && sum[i] - sum[i] == 0;
        if (__syncthreads_or(!finite))
            add_products(sum, M, N, alpha != 0 ? K : 0, row, column, A, lda, B, ldb);
        float x[STRIP];
#pragma unroll
        for (int i = 0; i < STRIP; i++) {
            x[i] = alpha * (float)sum[i] + bias_of_row(&epilogue, row + i) +
                   bias_of_column(&epilogue, column);
            x[i] = epilogue.activation == RELU ? relu(x[i]) : x[i];
        }
        if (is_gelu(&epilogue))
            gelu_sums(&epilogue, STRIP, 1, x);
#pragma unroll
        for (int i = 0; i < STRIP; i++)
            if (i < count) {
                float *c = C + (size_t)(row + i) * ldc + column;
                *c = beta != 0 ? x[i] + beta * *c : x[i];
            }
    }
}
