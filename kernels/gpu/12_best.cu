// 12_best.cu: plain float32 at the speed of the library: block order, wide threads, split K.
// SPDX-License-Identifier: MIT
//@ title    Best plain float32
//@ after    11_async
//@ idea     all four transposes: only the way into shared memory differs
//@ idea     blocks that run together share rows of A and columns of B in L2
//@ idea     where tiles are fewer than multiprocessors, tiles along K fill the device
//@ type     f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    BM 128 {64,128,256}, BN 256 {64,128,256}, BK 8 {8,16}, WM 64 {32,64}, WN 64 {32,64}
//@ param    STAGES 4 {2,3,4}, GROUP 8 {1,4,8,16}, BLOCKS 1 {1,2}
//@ let      NT = (BM/WM)*(BN/WN)*32, TM = WM/4, TN = WN/8, PAD = 4
//@ let      SA = BK*(BM+PAD), SB = BK*(BN+PAD)
//@ require  BM%WM==0 && BN%WN==0 && NT%BM==0 && NT%BN==0 && NT<=1024
//@ require  BM*BK%(4*NT)==0 && BN*BK%(4*NT)==0 "each thread copies whole vectors"
//@ arg      splits = clamp(SMS*BLOCKS/(cdiv(M,BM)*cdiv(N,BN)), 1, cdiv(max(K,1),128))
//@ arg      depth = cdiv(cdiv(max(K,1),splits),BK)*BK
//@ work     P = T[clamp(splits-1,0,1)*splits*M*N]
//@ kernel   multiply
//@ grid     cdiv(M,BM)*cdiv(N,BN), splits
//@ block    NT
//@ smem     STAGES*(SA+SB)*4
//@ kernel   add_splits
//@ grid     min(cdiv(M*N,256), 4096*clamp(splits-1,0,1)+1)
//@ block    256
//@ expect   spills == 0
//@ source   NVIDIA CUTLASS, efficient GEMM: tiles of blocks, warps and threads; split K
//
// After 11_async: a block has twice the columns, blocks are ordered for L2, A and B may be stored
// transposed, and a product with few tiles is cut along K.
// Tile: 128 x 256 by 8 deep; 8 warps of 64 x 64; a thread's sums are 4 x 2 pieces of 4 x 4, so that
// each fragment is read 16 bytes at a time and a warp's reads of B are 128 bytes without conflict.
// Intensity at 4096: 2*128*256 / (4*(128+256)) = 42.7 FLOP/byte from L2; from shared memory
// 2*128 / (4*24) = 2.7, so 6 reads of 16 bytes for 128 multiply-adds.
// Occupancy on sm_90: 1 block of 256 threads (255 registers), 8 of 64 warps: latency is covered by
// the independent sums, not by other warps. Blocks at 4096: 32*16 = 512, 3.9 waves of 132.
//
//                    BK           BN                    one warp, WM x WN
//                  +----+     +--------+               lane 0   1 .. 7      0   1
//              BM  | A  |     |   B    | BK           +----+----+---+----+----+----+--
//                  +----+     +--------+            0 | 4x4|    |   |    | 4x4|
//                    |            |                 8 |    |    |   |    |    |       4 lanes down,
//                    v            v                   +----+----+---+----+----+----+  8 across,
//        stages     [0] [1] [2] [3], k is the row,  0 | 4x4|    |   |    | 4x4|       then again
//        in shared  PAD floats after each row         +----+----+---+----+----+----+--
#include "cp_async.h"

// What memory a copy may touch: `wide` rows of A or columns of B, `deep` steps along k.
// k is contiguous in memory: neighbours take neighbouring k, 32 bytes of each row. In shared memory
// their rows are 4 banks apart (PAD), so the scatter meets each bank once.
__device__ static inline void copy_along_k(unsigned tile, int W, const T *from, int ld, bool whole,
                                           int wide, int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x / BK + i * (NT / BK), k = threadIdx.x % BK;
        const bool valid = whole || (w < wide && k < deep);
        const T *source = from + (size_t)w * ld + k;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// k strides in memory: neighbours take neighbouring elements of one row of the tile.
__device__ static inline void copy_across_k(unsigned tile, int W, const T *from, int ld, int wide,
                                            int deep)
{
#pragma unroll
    for (int i = 0; i < W * BK / NT; i++) {
        const int w = threadIdx.x % W, k = threadIdx.x / W + i * (NT / W);
        const bool valid = w < wide && k < deep;
        const T *source = from + (size_t)k * ld + w;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// The same, 16 bytes at a time, for a whole tile that is aligned.
__device__ static inline void copy_vectors(unsigned tile, int W, const T *from, int ld)
{
#pragma unroll
    for (int i = 0; i < W * BK / (4 * NT); i++) {
        const int w = threadIdx.x % (W / 4) * 4, k = threadIdx.x / (W / 4) + i * (4 * NT / W);
        cp_async_16(tile + (k * (W + PAD) + w) * 4, from + (size_t)k * ld + w);
    }
}

// One operand's tile. `along` says whether k is contiguous; `whole` whether no edge cuts the tile.
__device__ static inline void copy_tile(unsigned tile, int W, bool along, const T *from, int ld,
                                        bool aligned, int wide, int deep)
{
    const bool whole = wide >= W && deep >= BK;
    if (along && whole)
        copy_along_k(tile, W, from, ld, true, wide, deep);
    else if (along)
        copy_along_k(tile, W, from, ld, false, wide, deep);
    else if (whole && aligned)
        copy_vectors(tile, W, from, ld);
    else
        copy_across_k(tile, W, from, ld, wide, deep);
}

__device__ static inline void load_fragment(float *to, int count, int stride, const float *from)
{
#pragma unroll
    for (int i = 0; i < count; i += 4)
        *(float4 *)(to + i) = *(const float4 *)(from + i / 4 * stride);
}

// Block number to tile: down GROUP rows of tiles, then one column to the right. The blocks that run
// together form a patch that is about square, not a strip, and read fewer different rows and columns.
__device__ static inline int2 tile_of(int block, int rows, int columns)
{
    const int group = block / (GROUP * columns), first = group * GROUP;
    const int height = min(GROUP, rows - first), place = block - first * columns;
    return make_int2(first + place % height, place / height);
}

__device__ static inline void store_row(T *c, int count, bool vector, float4 sum, T alpha, T beta)
{
    sum = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    if (vector && count >= 4) {
        if (beta != 0) {
            const float4 old = *(const float4 *)c;
            sum = make_float4(sum.x + beta * old.x, sum.y + beta * old.y, sum.z + beta * old.z,
                              sum.w + beta * old.w);
        }
        *(float4 *)c = sum;
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? sum.x + beta * c[0] : sum.x;
    if (count > 1)
        c[1] = beta != 0 ? sum.y + beta * c[1] : sum.y;
    if (count > 2)
        c[2] = beta != 0 ? sum.z + beta * c[2] : sum.z;
    if (count > 3)
        c[3] = beta != 0 ? sum.w + beta * c[3] : sum.w;
}

__global__ void __launch_bounds__(NT, BLOCKS)
    multiply(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
             int ldc, T *P, int splits, int depth)
{
    extern __shared__ float4 stages[];
    float *const shared = (float *)stages;
    const unsigned base = shared_address(shared);
    const int2 tile = tile_of(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN);
    const int row = tile.x * BM, column = tile.y * BN, begin = blockIdx.y * depth;
    const int length = max(0, min(depth, K - begin)), steps = (length + BK - 1) / BK;
    A += TA ? (size_t)begin * lda + row : (size_t)row * lda + begin;
    B += TB ? (size_t)column * ldb + begin : (size_t)begin * ldb + column;
    const size_t step_a = TA ? (size_t)BK * lda : BK, step_b = TB ? BK : (size_t)BK * ldb;
    const bool aligned_a = lda % 4 == 0 && (size_t)A % 16 == 0;
    const bool aligned_b = ldb % 4 == 0 && (size_t)B % 16 == 0;

    // STAGES-1 tiles are on the way before the first is waited for.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) {
            const unsigned to = base + s * (SA + SB) * 4;
            copy_tile(to, BM, !TA, A, lda, aligned_a, M - row, length - s * BK);
            copy_tile(to + SA * 4, BN, TB, B, ldb, aligned_b, N - column, length - s * BK);
            A += step_a;
            B += step_b;
        }
        cp_async_commit();
    }

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r = warp / (BN / WN) * WM + lane / 8 * 4, c = warp % (BN / WN) * WN + lane % 8 * 4;
    float sum[TM][TN] = {};
    float a[2][TM], b[2][TN];
    const float *read = shared;
    int write = STAGES - 1;
    cp_async_wait(STAGES - 2);
    __syncthreads();
    load_fragment(a[0], TM, 16, read + r);
    load_fragment(b[0], TN, 32, read + SA + c);

    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            // The fragments of the next k are read while this one's multiply-adds run; the last k
            // of a step reads the first fragments of the next stage.
            if (k == BK - 1) {
                cp_async_wait(STAGES - 2);
                __syncthreads();
                read = read == shared + (STAGES - 1) * (SA + SB) ? shared : read + (SA + SB);
            }
            load_fragment(a[(k + 1) % 2], TM, 16, read + (k + 1) % BK * (BM + PAD) + r);
            load_fragment(b[(k + 1) % 2], TN, 32, read + SA + (k + 1) % BK * (BN + PAD) + c);
            if (k == 0) {
                const int left = length - (step + STAGES - 1) * BK;
                if (left > 0) {
                    const unsigned to = base + write * (SA + SB) * 4;
                    copy_tile(to, BM, !TA, A, lda, aligned_a, M - row, left);
                    copy_tile(to + SA * 4, BN, TB, B, ldb, aligned_b, N - column, left);
                    A += step_a;
                    B += step_b;
                }
                cp_async_commit();
                write = write == STAGES - 1 ? 0 : write + 1;
            }
// Four rows at a time, back and forth: each multiply-add shares a fragment element with the
            // one before, which the operand cache then serves, and the register banks stall less.
#pragma unroll
            for (int block = 0; block < TM; block += 4)
#pragma unroll
                for (int p = 0; p < TN; p++) {
                    const int j = block / 4 % 2 ? TN - 1 - p : p;
#pragma unroll
                    for (int q = 0; q < 4; q++) {
                        const int i = block + (p % 2 ? 3 - q : q);
                        sum[i][j] += a[k % 2][i] * b[k % 2][j];
                    }
                }
        }
    }

    // With several splits the sums go to P as they are; add_splits knows alpha and beta.
    const bool split = splits > 1;
    T *const out = split ? P + (size_t)blockIdx.y * M * N : C;
    const int ldo = split ? N : ldc;
    const T scale = split ? 1 : alpha, keep = split ? 0 : beta;
    const bool vector = ldo % 4 == 0 && (size_t)out % 16 == 0;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int y = row + r + i / 4 * 16 + i % 4;
        if (y >= M)
            continue;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int x = column + c + j / 4 * 32;
            const float4 four = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            store_row(out + (size_t)y * ldo + x, N - x, vector, four, scale, keep);
        }
    }
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order: the same bits every time.
__global__ void add_splits(int M, int N, T alpha, T beta, T *C, int ldc, const T *P, int splits)
{
    if (splits == 1)
        return;
    const size_t count = (size_t)M * N;
    for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < count;
         i += gridDim.x * (size_t)256) {
        T sum = 0;
        for (int s = 0; s < splits; s++)
            sum += P[s * count + i];
        T *c = &C[i / N * ldc + i % N];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}
