// 22_scaled.cu: float32 with about plain float32's accuracy, by three products of scaled fp16.
// SPDX-License-Identifier: MIT
//@ title    Float32 from scaled fp16 pieces
//@ after    21_accurate
//@ idea     each row of A and column of B is scaled by a power of four, into the range of fp16
//@ idea     a float is two pieces of fp16, and three of their four products matter
//@ idea     sums that small factors may have made inaccurate are computed again, in float64
//@ type     f32
//@ math     f32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    BM 128 {128}, BN 256 {128,256}, BK 32 {32,64}, STAGES 4 {2,3,4}, GROUP 8 {1,4,8,16}
//@ let      GROUPS = BM/64, NT = 128*(1+GROUPS), STAGE = 2*BK*(BM+BN), SPLIT_NT = 256
//@ let      STRIP = 16, SPAN = 512, DEPTH = 128
//@ require  SMEM_MAX >= STAGES*STAGE*2+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK), rows = cdiv(M,BM), columns = cdiv(N,BN)
//@ arg      shares = clamp(SMS/(rows*columns),1,max(steps*BK/256,1)), units = rows*columns*shares
//@ work     lines = s32[2*(rows*BM+columns*BN)] zero
//@ work     PA = f16[max(2*rows*steps*BM*BK,1)]
//@ work     PB = f16[max(2*columns*steps*BN*BK,1)]
//@ work     P = f32[max((shares>1)*shares*M*N,1)], again = s32[rows*columns*BM/STRIP]
//@ kernel   scale
//@ when     K>0
//@ grid     cdiv(K,SPAN), rows+columns*(BN/128)
//@ block    SPLIT_NT
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
//@ source   Ootomo and Yokota, arXiv:2203.03341
//
// After 21_accurate: three products and not six, since fp16 has 11 bits, and two of its numbers
// have nearly the 24 of a float (split_f16.h). But fp16 lacks range, so each row of op(A) and each
// column of op(B) is scaled by a power of four, chosen by its largest |x|, which a kernel finds
// first; the sum of row i and column j is divided by both scales.
//
//    piece of A     low      high      high
//    piece of B     high     low       high
//    about          2^-11    2^-11     1        of the product; low*low is 2^-22
//
// The tensor cores add all three for 32 of k from zero, the small ones first, and registers add
// these sums. While a warpgroup adds, the tensor cores work for the other one.
//
// An element more than 2^15 times smaller than the largest of its row or column may keep fewer
// bits, and is counted as lost by `split`. The number of lost elements of the row and column of a
// sum, times 2^-10, is compared with 2^-23 of the sum of scaled products. If the sum may be
// smaller, or is NaN, its group of 16 rows by 8 columns is marked, and `finish` computes that in
// float64, slowly. An infinity of A or B becomes NaN in `low`. So the errors of all sums are
// bounded in units of sum|a||b|: docs/accuracy.md.
//
// Range: scaled factors are below 2^15, so that no sum overflows, whatever A and B are.
//
// Tile: 128 x 256 by 32 deep; 2 warpgroups of 64 x 256, as two halves.
// Intensity: 42.7 FLOP/byte from L2, 5 TB/s at 213 TFLOP/s.
// Bounds at 4096: 412 GFLOP of fp16 take 0.49 ms at the 834 TFLOP/s that an H200 sustains. `scale`
// reads 134 MB and `split` moves 268 MB: 0.10 ms at 4.2 TB/s.
// Shared memory: the reads of A and B take 96 bytes of 128 a cycle, the copies the other 32. In a
// tile, 8 rows by 8 of k are 128 contiguous bytes, so that no swizzle is needed:
//
//      k 0..7        8..15       16..23      24..31       each of the two pieces of a tile
//     +-----------+-----------+-----------+-----------+
//     | row 0     | row 0     | row 0     | row 0     |   16 bytes a row
//     | row 1     | row 1     | ..        |           |
//     | ..        | ..        |           |           |   A: 128 rows, 2048 bytes a column
//     | row 127   | row 127   |           |           |   B: 256 rows, 4096
//     +-----------+-----------+-----------+-----------+
//
// Occupancy on sm_90: 384 threads of 168 registers at the start, and 196736 bytes: 1 block.
#include "cp_async.h"
#include "dependent_launch.h"
#include "mbarrier.h"
#include "split_f16.h"
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

// Multiplies 64 rows of a piece of A (BM x BK) by 128 columns of a piece of B (BN x BK).
__device__ __forceinline__ static void multiply_pieces(float *part, unsigned long long a, int of_a,
                                                       unsigned long long b, int of_b, bool adds)
{
#pragma unroll
    for (int k = 0; k < BK; k += 16)
        wgmma_64x128x16((const __half *)0, part, a + (of_a * BK + k) * BM * 2 / 16,
                        b + (of_b * BK + k) * BN * 2 / 16, adds || k > 0, false, false);
}

// Computes the whole product: the small products, and then the large ones.
__device__ __forceinline__ static void multiply_tile(float *part, unsigned tile_a, unsigned tile_b)
{
    const unsigned long long a = wgmma_descriptor_plain(tile_a, BM * 16);
    const unsigned long long b = wgmma_descriptor_plain(tile_b, BN * 16);
    wgmma_fence();
    multiply_pieces(part, a, 1, b, 0, false);
    multiply_pieces(part, a, 0, b, 1, true);
    multiply_pieces(part, a, 0, b, 0, true);
    wgmma_commit();
    wgmma_wait(0);
    wgmma_done(part, 64);
}

// The least sum for which the losses of a row or column are negligible (below eps of it): smaller
// sums are computed again. Beyond the edges of C there is no such limit.
__device__ static inline float least_sum(int2 line, bool inside)
{
    return inside ? SPLIT_LOST * 0x1p23f * line.y : -0x1p60f;
}

// The groups of 8 columns of a warp's sums that have one that is not accurate (or NaN). Bit j is
// group j.
__device__ static inline unsigned wrong_groups(const float *sum, int M, int N, int row, int column,
                                               const int2 *of_row, const int2 *of_column)
{
    const float least0 = least_sum(of_row[0], row < M), least1 = least_sum(of_row[8], row + 8 < M);
    unsigned wrong = 0;
#pragma unroll
    for (int j = 0; j < BN / 4; j++) {
        const int x = j / 2 * 8 + j % 2, i = j / 2 * 4 + j % 2;
        const float least = least_sum(of_column[x], column + x < N);
        const bool right = fabsf(sum[i]) >= least0 + least && fabsf(sum[i + 2]) >= least1 + least;
        wrong |= (right ? 0u : 1u) << j / 2;
    }
    return __reduce_or_sync(0xffffffff, wrong);
}

// Stores C from the sums, divided by the scales of their rows and columns. The square root of both
// scales is applied twice, because their product may be outside of the range of float. `wrong` are
// the groups that are not stored.
__device__ static inline void store_sums(const float *sum, int M, int N, int row, int column,
                                         const int2 *of_row, const int2 *of_column, unsigned wrong,
                                         float alpha, float beta, float *C, int ldc)
{
    const bool aligned_c = ldc % 2 == 0 && (size_t)C % 8 == 0;
    const int half[2] = {exponent_of_scale(of_row[0].x) / 2, exponent_of_scale(of_row[8].x) / 2};
#pragma unroll
    for (int j = 0; j < BN / 8; j++) {
        if (wrong >> j & 1)
            continue;
        const int half0 = exponent_of_scale(of_column[j * 8].x) / 2;
        const int half1 = exponent_of_scale(of_column[j * 8 + 1].x) / 2;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float root0 = power_of_two(-half[h] - half0);
            const float root1 = power_of_two(-half[h] - half1);
            const float x0 = sum[j * 4 + h * 2] * root0 * root0;
            const float x1 = sum[j * 4 + h * 2 + 1] * root1 * root1;
            store_two(C + (size_t)(row + h * 8) * ldc + column + j * 8,
                      row + h * 8 < M ? N - column - j * 8 : 0, aligned_c,
                      make_float2(alpha * x0, alpha * x1), beta);
        }
    }
}

// Stores a share of the sums, unchanged.
__device__ static inline void store_share(const float *sum, int M, int N, int row, int column,
                                          float *P)
{
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int j = 0; j < BN / 8; j++)
            if (row + h * 8 < M)
                store_two(P + (size_t)(row + h * 8) * N + column + j * 8, N - column - j * 8,
                          N % 2 == 0, make_float2(sum[j * 4 + h * 2], sum[j * 4 + h * 2 + 1]), 0);
}

__global__ void __launch_bounds__(NT, 1)
    multiply(int M, int N, int steps, int rows, int columns, int shares, int units, float alpha,
             float beta, float *C, int ldc, const __half *PA, const __half *PB, const int2 *lines,
             float *P, int *again)
{
    wait_for_earlier_grids();
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
                    bulk_load(to, PA + ((size_t)unit.tile.x * steps + step) * (2 * BM * BK),
                              4 * BM * BK, barrier);
                    bulk_load(to + 4 * BM * BK,
                              PB + ((size_t)unit.tile.y * steps + step) * (2 * BN * BK),
                              4 * BN * BK, barrier);
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
                const unsigned tile_b = base + stage * 2 * STAGE + 4 * BM * BK;
                mbarrier_wait(full + stage * 8, parity);
#pragma unroll
                for (int half = 0; half < BN / 128; half++) {
                    multiply_tile(part, tile_a, tile_b + half * (128 * 16));
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
                store_share(sum, M, N, row, column, P + (size_t)unit.share * M * N);
                continue;
            }
            const int2 *of_row = lines + row, *of_column = lines + rows * BM + column;
            const unsigned wrong = wrong_groups(sum, M, N, row, column, of_row, of_column);
            store_sums(sum, M, N, row, column, of_row, of_column, wrong, alpha, beta, C, ldc);
            if (lane == 0)
                again[t * (BM / STRIP) + warp] = (int)wrong;
        }
    }
}

__device__ static inline void keep_largest(int *bits, const float *from, bool aligned, int count)
{
    float4 x = make_float4(0, 0, 0, 0);
    if (aligned && count >= 4)
        x = *(const float4 *)from;
    else {
        x.x = count > 0 ? from[0] : 0;
        x.y = count > 1 ? from[1] : 0;
        x.z = count > 2 ? from[2] : 0;
        x.w = count > 3 ? from[3] : 0;
    }
    bits[0] = max(bits[0], __float_as_int(fabsf(x.x)));
    bits[1] = max(bits[1], __float_as_int(fabsf(x.y)));
    bits[2] = max(bits[2], __float_as_int(fabsf(x.z)));
    bits[3] = max(bits[3], __float_as_int(fabsf(x.w)));
}

// Finds the largest |x| of 128 rows of A or columns of B, in SPAN of k. Without signs, the bits of
// floats have the order of the floats, and those of infinities and NaN are the largest. `along`:
// adjacent elements in memory are adjacent along k.
__device__ static inline void find_largest(int2 *lines, bool along, const float *from, int ld,
                                           int high, int wide)
{
    const bool aligned = ld % 4 == 0 && (size_t)from % 16 == 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (along) {
        for (int line = warp; line < min(128, high); line += SPLIT_NT / 32) {
            int bits[4] = {};
#pragma unroll 4
            for (int k = lane * 4; k < min(SPAN, wide); k += 128)
                keep_largest(bits, from + (size_t)line * ld + k, aligned, wide - k);
            const int largest =
                __reduce_max_sync(0xffffffff, max(max(bits[0], bits[1]), max(bits[2], bits[3])));
            if (lane == 0)
                atomicMax(&lines[line].x, largest);
        }
    } else {
        int bits[4] = {};
#pragma unroll 4
        for (int k = warp; k < min(SPAN, high); k += SPLIT_NT / 32)
            keep_largest(bits, from + (size_t)k * ld + lane * 4, aligned, wide - lane * 4);
#pragma unroll
        for (int e = 0; e < 4; e++)
            atomicMax(&lines[lane * 4 + e].x, bits[e]);
    }
}

__global__ void __launch_bounds__(SPLIT_NT) scale(int M, int N, int K, const float *A, int lda,
                                                  const float *B, int ldb, int rows, int2 *lines)
{
    wait_for_earlier_grids();
    const int k = blockIdx.x * SPAN;
    if (blockIdx.y < rows) {
        const int row = blockIdx.y * BM;
        find_largest(lines + row, !TA, A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k),
                     lda, TA ? K - k : M - row, TA ? M - row : K - k);
    } else {
        const int column = (blockIdx.y - rows) * 128;
        find_largest(lines + rows * BM + column, TB,
                     B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                     TB ? N - column : K - k, TB ? K - k : N - column);
    }
}

// Splits a tile of `side` rows of A or columns of B by BK into two pieces, each in the layout that
// wgmma reads without a swizzle. `along`: adjacent elements in memory are adjacent along k.
__device__ static inline void split_tile(__half *to, int2 *lines, int side, bool along,
                                         const float *from, int ld, int high, int wide)
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
        const float scale = power_of_two(exponent_of_scale(lines[row].x));
        unsigned words[4][2];
        int lost = 0;
#pragma unroll
        for (int e = 0; e < 4; e++)
            lost += split_two(x[2 * e], x[2 * e + 1], scale, words[e]);
        if (lost)
            atomicAdd(&lines[row].y, lost);
#pragma unroll
        for (int p = 0; p < 2; p++)
            *(uint4 *)(to + p * side * BK + (k / 8 * side + row) * 8) =
                make_uint4(words[0][p], words[1][p], words[2][p], words[3][p]);
    }
}

__global__ void __launch_bounds__(SPLIT_NT)
    split(int M, int N, int K, const float *A, int lda, const float *B, int ldb, int steps,
          int rows, int2 *lines, __half *PA, __half *PB)
{
    wait_for_earlier_grids();
    const int step = blockIdx.x, k = step * BK;
    if (blockIdx.y < rows) {
        const int row = blockIdx.y * BM;
        split_tile(PA + ((size_t)blockIdx.y * steps + step) * (2 * BM * BK), lines + row, BM, !TA,
                   A + (TA ? (size_t)k * lda + row : (size_t)row * lda + k), lda,
                   TA ? K - k : M - row, TA ? M - row : K - k);
    } else {
        const int tile = blockIdx.y - rows, column = tile * BN;
        split_tile(PB + ((size_t)tile * steps + step) * (2 * BN * BK), lines + rows * BM + column,
                   BN, TB, B + (TB ? (size_t)column * ldb + k : (size_t)k * ldb + column), ldb,
                   TB ? N - column : K - k, TB ? K - k : N - column);
    }
}

__device__ static inline void store_one(float *c, double sum, float alpha, float beta)
{
    const float x = alpha * (float)sum;
    *c = beta != 0 ? x + beta * *c : x;
}

// Adds the shares of a strip of 16 rows, with one column per thread. Stores the groups of which all
// sums are accurate, and returns the others, as wrong_groups does.
__device__ static inline unsigned add_shares(int M, int N, int row, int column, float alpha,
                                             float beta, float *C, int ldc, int shares,
                                             const int2 *of_row, int2 of_column, const float *P)
{
    __shared__ unsigned all_wrong;
    const int count = column < N ? min(STRIP, M - row) : 0, lane = threadIdx.x % 32;
    double sum[STRIP] = {};
    for (int share = 0; share < shares; share++) {
        const float *from = P + ((size_t)share * M + row) * N + column;
#pragma unroll
        for (int i = 0; i < STRIP; i++)
            sum[i] += i < count ? from[(size_t)i * N] : 0;
    }
    bool right = true;
#pragma unroll
    for (int i = 0; i < STRIP; i++)
        right = right && fabs(sum[i]) >=
                             least_sum(of_row[i], i < count) + least_sum(of_column, i < count);
    const unsigned wrong = __ballot_sync(0xffffffff, !right) >> lane / 8 * 8 & 255;
    __syncthreads(); // the groups of the previous strip have been read
    if (threadIdx.x == 0)
        all_wrong = 0;
    __syncthreads();
    if (wrong && lane % 8 == 0)
        atomicOr(&all_wrong, 1u << threadIdx.x / 8);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STRIP; i++) {
        const int exponent = exponent_of_scale(of_row[i].x) + exponent_of_scale(of_column.x);
        if (i < count && !wrong)
            store_one(C + (size_t)(row + i) * ldc + column,
                      sum[i] * __hiloint2double((1023 - exponent) << 20, 0), alpha, beta);
    }
    return all_wrong;
}

// Computes groups of a strip in float64. `wide` threads, a power of two, have one column of these
// groups each, and BN / wide such sets of threads divide the steps of k among themselves.
__device__ __forceinline__ static void compute_again(unsigned groups, int M, int N, int K, int row,
                                                     int column, float alpha, const float *A,
                                                     int lda, const float *B, int ldb, float beta,
                                                     float *C, int ldc)
{
    __shared__ double shared[DEPTH * (STRIP + 1)]; // A, and then half of the sums
    int wide = 8;
    while (wide < 8 * __popc(groups))
        wide *= 2;
    const int slot = threadIdx.x % wide, slices = BN / wide;
    for (int i = 0; i < slot / 8; i++)
        groups &= groups - 1;
    const bool valid = groups != 0 && column + 8 * (__ffs(groups) - 1) + slot % 8 < N;
    column = valid ? column + 8 * (__ffs(groups) - 1) + slot % 8 : 0;
    double sum[STRIP] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        __syncthreads();
#pragma unroll 4
        for (int at = threadIdx.x; at < DEPTH * STRIP; at += BN) {
            const int i = TA ? at % STRIP : at / DEPTH, k = TA ? at / STRIP : at % DEPTH;
            shared[k * (STRIP + 1) + i] =
                row + i < M && k0 + k < K
                    ? A[TA ? (size_t)(k0 + k) * lda + row + i : (size_t)(row + i) * lda + k0 + k]
                    : 0;
        }
        __syncthreads();
#pragma unroll 4
        for (int k = threadIdx.x / wide; k < min(DEPTH, valid ? K - k0 : 0); k += slices) {
            const double b =
                B[TB ? (size_t)column * ldb + k0 + k : (size_t)(k0 + k) * ldb + column];
#pragma unroll
            for (int i = 0; i < STRIP; i++)
                sum[i] = fma(shared[k * (STRIP + 1) + i], b, sum[i]);
        }
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STRIP / 2; i++)
            shared[i * BN + threadIdx.x] = sum[half * (STRIP / 2) + i];
        __syncthreads();
        // The slices of a column divide its rows among themselves.
        for (int i = threadIdx.x / wide; i < STRIP / 2; i += slices) {
            const int y = row + half * (STRIP / 2) + i;
            double total = 0;
            for (int slice = 0; slice < slices; slice++)
                total += shared[i * BN + slice * wide + slot];
            if (valid && y < M)
                store_one(C + (size_t)y * ldc + column, total, alpha, beta);
        }
    }
}

// Adds the shares of strips that have several, and computes the groups again that are not accurate.
// (If alpha is 0, a NaN of A or B does not reach C.)
__global__ void __launch_bounds__(BN)
    finish(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
           float beta, float *C, int ldc, int rows, int columns, int shares, const int2 *lines,
           const float *P, const int *again)
{
    wait_for_earlier_grids();
    for (int strip = blockIdx.x; strip < rows * columns * (BM / STRIP); strip += gridDim.x) {
        const int2 tile = tile_of(strip / (BM / STRIP), rows, columns);
        const int row = tile.x * BM + strip % (BM / STRIP) * STRIP, column = tile.y * BN;
        const unsigned groups =
            shares == 1 ? (unsigned)again[strip]
                        : add_shares(M, N, row, column + threadIdx.x, alpha, beta, C, ldc, shares,
                                     lines + row, lines[rows * BM + column + threadIdx.x], P);
        if (groups)
            compute_again(groups, M, N, alpha != 0 ? K : 0, row, column, alpha, A, lda, B, ldb,
                          beta, C, ldc);
    }
}
