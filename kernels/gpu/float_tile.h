// float_tile.h: what kernels of float tiles by multiply-adds have in common: tiles of A and B on
// their way to shared memory by cp.async, fragments, and the multiply-adds in an order that suits
// the operand cache. SPDX-License-Identifier: MIT
//
// A tile in shared memory is `steps` rows, one for each k, of W elements and PAD more: the fragment
// of a thread is 16 bytes at a time, whichever way the matrix is stored.
//
//        A as stored (k along rows)            in shared memory
//        +----------------+                    +--------------- W ---------------+-----+
//        | k k k k ..     |  copy_along_k      | row 0, row 1, ..      of k = 0  | PAD |
//        | k k k k ..     |  ------------->    | row 0, row 1, ..      of k = 1  | PAD |
//        +----------------+                    +---------------------------------+-----+
//
// The files that include it have GROUP and PAD in their front matter.
#ifndef FLOAT_TILE_H
#define FLOAT_TILE_H

#include "cp_async.h"

// A function that is inlined wherever it is called, so that the tile's extents are constants in it.
#define EXPANDED static inline __attribute__((always_inline))

// What memory a copy may touch: `wide` rows of A or columns of B, `deep` steps along k.
// k is contiguous in memory: `lanes` neighbours take neighbouring k, at least 32 bytes of each row.
// In shared memory their rows are 4 banks apart (PAD), so 8 lanes and 4 rows meet each bank once.
__device__ EXPANDED void copy_along_k(unsigned tile, int W, int steps, int threads, int lanes,
                                      const T *from, int ld, bool whole, int wide, int deep)
{
    const int across = W * lanes / threads;
#pragma unroll
    for (int i = 0; i < W * steps / threads; i++) {
        const int w = threadIdx.x / lanes + i % across * (threads / lanes);
        const int k = threadIdx.x % lanes + i / across * lanes;
        const bool valid = whole || (w < wide && k < deep);
        const T *source = from + (size_t)w * ld + k;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// k strides in memory: neighbours take neighbouring elements of one row of the tile.
__device__ EXPANDED void copy_across_k(unsigned tile, int W, int steps, int threads, const T *from,
                                       int ld, int wide, int deep)
{
#pragma unroll
    for (int i = 0; i < W * steps / threads; i++) {
        const int w = threadIdx.x % W, k = threadIdx.x / W + i * (threads / W);
        const bool valid = w < wide && k < deep;
        const T *source = from + (size_t)k * ld + w;
        cp_async_4(tile + (k * (W + PAD) + w) * 4, valid ? source : from, valid);
    }
}

// The same, 16 bytes at a time, for a whole tile that is aligned.
__device__ EXPANDED void copy_vectors(unsigned tile, int W, int steps, int threads, const T *from,
                                      int ld)
{
#pragma unroll
    for (int i = 0; i < W * steps / (4 * threads); i++) {
        const int w = threadIdx.x % (W / 4) * 4, k = threadIdx.x / (W / 4) + i * (4 * threads / W);
        cp_async_16(tile + (k * (W + PAD) + w) * 4, from + (size_t)k * ld + w);
    }
}

// One operand's tile, by `lanes` neighbours along k if k is contiguous. `along` says whether k is
// contiguous; `whole` whether no edge cuts the tile.
__device__ EXPANDED void copy_tile(unsigned tile, int W, int steps, int threads, int lanes,
                                   bool along, const T *from, int ld, bool aligned, int wide,
                                   int deep)
{
    const bool whole = wide >= W && deep >= steps;
    if (along && whole)
        copy_along_k(tile, W, steps, threads, lanes, from, ld, true, wide, deep);
    else if (along)
        copy_along_k(tile, W, steps, threads, lanes, from, ld, false, wide, deep);
    else if (whole && aligned)
        copy_vectors(tile, W, steps, threads, from, ld);
    else
        copy_across_k(tile, W, steps, threads, from, ld, wide, deep);
}

__device__ EXPANDED void load_fragment(float *to, int count, int stride, const float *from)
{
#pragma unroll
    for (int i = 0; i < count; i += 4)
        *(float4 *)(to + i) = *(const float4 *)(from + i / 4 * stride);
}

// Block number to tile: down GROUP rows of tiles, then one column to the right. Blocks that run
// together form a patch that is about square, not a strip, and read fewer rows and columns.
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

// Four rows at a time, back and forth: each multiply-add shares a fragment element with the one
// before, which the operand cache then serves, and the register banks stall less.
__device__ EXPANDED void multiply_add(float *sum, int tm, int tn, const float *a, const float *b)
{
#pragma unroll
    for (int four = 0; four < tm; four += 4)
#pragma unroll
        for (int p = 0; p < tn; p++) {
            const int j = four / 4 % 2 ? tn - 1 - p : p;
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int i = four + (p % 2 ? 3 - q : q);
                sum[i * tn + j] += a[i] * b[j];
            }
        }
}

#endif
