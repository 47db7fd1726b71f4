// 12_best.cu: plain float32 at the speed of the library: two shapes of tile, block order, split K.
// SPDX-License-Identifier: MIT
//@ title    Best plain float32
//@ after    11_async
//@ idea     all four transposes: only the way into shared memory differs
//@ idea     blocks that run together share rows of A and columns of B in L2
//@ idea     where large tiles would leave SMs idle, small ones, or tiles along K, fill them
//@ type     f32
//@ trans    nn, nt, tn, tt
//@ arch     >= sm_80
//@ param    LM 128 {64,128,256}, LN 256 {64,128,256}, SM 64 {32,64,128}, SN 64 {32,64,128}
//@ param    BK 16 {8,16}, STAGES 3 {2,3,4}, GROUP 8 {1,4,8,16}
//@ let      LT = (LM/64)*(LN/64)*32, ST = (SM/32)*(SN/32)*32, PAD = 4
//@ require  LT%BK==0 && ST%BK==0 && LM*BK%(4*LT)==0 && LN*BK%(4*LT)==0 "whole vectors"
//@ require  SM*BK%(4*ST)==0 && SN*BK%(4*ST)==0 && LT%LM==0 && LT%LN==0 && ST%SM==0 && ST%SN==0
//@ arg      large_tiles = cdiv(M,LM)*cdiv(N,LN), small_tiles = cdiv(M,SM)*cdiv(N,SN)
//@ arg      large_splits = clamp(SMS/large_tiles, 1, cdiv(max(K,1),128))
//@ arg      small_splits = clamp(2*SMS/small_tiles, 1, cdiv(max(K,1),128))
//@ arg      large_depth = cdiv(cdiv(max(K,1),large_splits),BK)*BK
//@ arg      small_depth = cdiv(cdiv(max(K,1),small_splits),BK)*BK
//@ arg      large_cost = 4*cdiv(large_tiles*large_splits,SMS)*LM*LN*large_depth
//@ arg      small_cost = 5*cdiv(small_tiles*small_splits,2*SMS)*2*SM*SN*small_depth
//@ arg      small = small_cost < large_cost
//@ arg      splits = small*small_splits + (1-small)*large_splits
//@ arg      depth = small*small_depth + (1-small)*large_depth
//@ work     P = T[clamp(splits-1,0,1)*splits*M*N]
//@ kernel   multiply_large
//@ when     small == 0
//@ grid     large_tiles, splits
//@ block    LT
//@ smem     STAGES*BK*(LM+LN+2*PAD)*4
//@ kernel   multiply_small
//@ when     small
//@ grid     small_tiles, splits
//@ block    ST
//@ smem     STAGES*BK*(SM+SN+2*PAD)*4
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*N,256), 4096)
//@ block    256
//@ expect   spills == 0
//@ source   NVIDIA CUTLASS, efficient GEMM: tiles of blocks, warps and threads; split K
//
// After 11_async: a block has twice the columns, blocks are ordered for L2, A and B may be
// stored transposed, and a product with few tiles is cut smaller, and along K.
// Large tile: 128 x 256 by 16 deep; 8 warps of 64 x 64; a thread's sums are 4 x 2 pieces of 4 x
// 4, so that each fragment is read 16 bytes at a time and a warp's reads of B are 128 bytes
// without conflict. Small tile: 64 x 64; 4 warps of 32 x 32, 2 blocks an SM.
// Intensity at 4096: 2*128*256 / (4*(128+256)) = 42.7 FLOP/byte from L2; from shared memory
// 2*128 / (4*24) = 2.7, so 6 reads of 16 bytes for 128 multiply-adds.
// Which tile: that of the smaller cost, in steps of k times elements of a tile, where blocks run
// in waves: on an H200 132 large ones at a time, or 264 small ones. A small tile takes 5/4 of a
// large one's time for the same work (measured at 4096). At 4096 the large tiles make 3.9 waves,
// which is 4; at 3072 2.2, which is 3, and the small ones' 8.7 waves win; at 512 8 large tiles,
// even cut in four along K, would leave 100 SMs idle.
// Occupancy on sm_90: 1 block of 256 threads (255 registers), 8 of 64 warps: latency is covered by
// the independent sums, not by other warps.
//
//                    BK           BN                    one warp, WM x WN
//                  +----+     +--------+               lane 0   1 .. 7      0   1
//              BM  | A  |     |   B    | BK           +----+----+---+----+----+----+--
//                  +----+     +--------+            0 | 4x4|    |   |    | 4x4|
//                    |            |                 8 |    |    |   |    |    |       4 lanes down,
//                    v            v                   +----+----+---+----+----+----+  8 across,
//        stages     [0] [1] [2], k is the row,      0 | 4x4|    |   |    | 4x4|       then again
//        in shared  PAD floats after each row         +----+----+---+----+----+----+--
#include "cp_async.h"

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

// The large tile.
#define OF_TILE(name) name##_large
#define BM LM
#define BN LN
#define WM 64
#define WN 64
#include "best_tile.h"

__global__ void __launch_bounds__(LT, 1)
    multiply_large(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, int splits, int depth)
{
    tile_large(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth);
}

// The small one.
#undef OF_TILE
#undef BM
#undef BN
#undef WM
#undef WN
#define OF_TILE(name) name##_small
#define BM SM
#define BN SN
#define WM 32
#define WN 32
#include "best_tile.h"

__global__ void __launch_bounds__(ST, 2)
    multiply_small(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                   T *C, int ldc, T *P, int splits, int depth)
{
    tile_small(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth);
}

// C = alpha * (P[0] + P[1] + ...) + beta * C, always in this order: the same bits every time.
__global__ void add_splits(int M, int N, T alpha, T beta, T *C, int ldc, const T *P, int splits)
{
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
