// store_rows.h: writes a warp's sums to C in whole rows of 128 bytes, through shared memory.
// SPDX-License-Identifier: MIT
//
// In registers, a warp's sums are pieces of 8 bytes in 8 rows (wgmma.h); if they were stored
// directly, one instruction would write 8 rows of 32 bytes. Here 16 rows of 32 sums are written to
// shared memory first, and from there to C with 16 bytes per lane: 4 rows of 128 bytes per
// instruction, and half as many instructions. C may be float, bf16 or f16 (8 bytes per lane then);
// sums are rounded to it once, to nearest.
//
//     sums       lane 0: (0,0) (0,1)  lane 1: (0,2) (0,3)  ..  lane 4: (1,0) (1,1)  ..
//     put_sums   row r of the 16 begins at word r*pitch; with a pitch of 8 + a multiple of 32, the
//                rows that one instruction writes are in different banks
//     store_rows lanes 0..7: row 0, 4 sums each   lanes 8..15: row 1   ..
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "store_two.h"

// Four adjacent elements of a row, at a multiple of four elements.
__device__ static inline float4 load_four(const float *c)
{
    return *(const float4 *)c;
}

template <class Element> __device__ static inline float4 load_four(const Element *c)
{
    const float2 low = load_pair(c), high = load_pair(c + 2);
    return make_float4(low.x, low.y, high.x, high.y);
}

__device__ static inline void put_four(float *c, float4 four)
{
    *(float4 *)c = four;
}

__device__ static inline void put_four(__nv_bfloat16 *c, float4 four)
{
    __nv_bfloat162 low = __floats2bfloat162_rn(four.x, four.y);
    __nv_bfloat162 high = __floats2bfloat162_rn(four.z, four.w);
    *(uint2 *)c = make_uint2(*(unsigned *)&low, *(unsigned *)&high);
}

__device__ static inline void put_four(__half *c, float4 four)
{
    __half2 low = __floats2half2_rn(four.x, four.y), high = __floats2half2_rn(four.z, four.w);
    *(uint2 *)c = make_uint2(*(unsigned *)&low, *(unsigned *)&high);
}

template <class Element>
__device__ static inline float scaled(float sum, float alpha, float beta, const Element *c)
{
    return beta != 0 ? alpha * sum + beta * load_one(c) : alpha * sum;
}

template <class Element>
__device__ static inline void store_four(Element *c, float4 sum, float alpha, float beta)
{
    float4 four = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    if (beta != 0) {
        const float4 old = load_four(c);
        four = make_float4(four.x + beta * old.x, four.y + beta * old.y, four.z + beta * old.z,
                           four.w + beta * old.w);
    }
    put_four(c, four);
}

// The same, of which only `columns` elements are in the matrix. `aligned`: c is at such an address.
template <class Element>
__device__ static inline void store_up_to_four(Element *to, int columns, bool aligned, float4 sum,
                                               float alpha, float beta)
{
    if (aligned && columns >= 4) {
        store_four(to, sum, alpha, beta);
        return;
    }
    const float each[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (e < columns)
            to[e] = scaled(each[e], alpha, beta, to + e);
}

// Writes 32 columns of a warp's sums to its 16 rows in shared memory. __syncwarp() is needed before
// other lanes read them.
__device__ static inline void put_sums(float *to, int pitch, const float *sum)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            *(float2 *)(to + (lane / 4 + h * 8) * pitch + j * 8 + lane % 4 * 2) =
                make_float2(sum[j * 4 + h * 2], sum[j * 4 + h * 2 + 1]);
}

// Writes these 16 rows to `c`, of which `rows` by `columns` elements are in the matrix: c =
// alpha*sum + beta*c; c is not read if beta is 0. `aligned`: c and its rows begin at multiples of
// four elements.
template <class Element>
__device__ static inline void store_rows(Element *c, int ldc, int rows, int columns, bool aligned,
                                         const float *from, int pitch, float alpha, float beta)
{
    const int lane = threadIdx.x % 32;
    if (aligned && columns >= 32) {
        for (int i = lane / 8; i < 16; i += 4)
            if (i < rows)
                store_four(c + (size_t)i * ldc + lane % 8 * 4,
                           *(const float4 *)(from + i * pitch + lane % 8 * 4), alpha, beta);
    } else if (lane < columns) {
        float sum[16]; // of one column: all loads are issued before the first store waits for one
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum[i] = from[i * pitch + lane];
#pragma unroll
        for (int i = 0; i < 16; i++) {
            Element *to = c + (size_t)i * ldc + lane;
            if (i < rows)
                *to = scaled(sum[i], alpha, beta, to);
        }
    }
}

#endif
