// store_rows.h: a warp's sums to C in whole rows of 128 bytes, by way of shared memory.
// SPDX-License-Identifier: MIT
//
// A warp's sums are pieces of 8 bytes in 8 rows (wgmma.h); stored as they are, an instruction
// writes 8 rows of 32 bytes. Here 16 rows of 32 sums go to shared memory first, and from there to C
// as 16 bytes a lane: 4 rows of 128 bytes an instruction, and half as many instructions.
//
//     sums       lane 0: (0,0) (0,1)  lane 1: (0,2) (0,3)  ..  lane 4: (1,0) (1,1)  ..
//     put_sums   row r of the 16 at word r*pitch; pitch = 8 + a multiple of 32 puts the rows that
//     are
//                written at once into different banks
//     store_rows lanes 0..7: row 0, 4 sums each   lanes 8..15: row 1   ..
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

__device__ static inline float scaled(float sum, float alpha, float beta, const float *c)
{
    return beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}

__device__ static inline void store_four(float *c, float4 sum, float alpha, float beta)
{
    const float4 old = beta != 0 ? *(const float4 *)c : sum;
    *(float4 *)c =
        make_float4(scaled(sum.x, alpha, beta, &old.x), scaled(sum.y, alpha, beta, &old.y),
                    scaled(sum.z, alpha, beta, &old.z), scaled(sum.w, alpha, beta, &old.w));
}

// 32 columns of a warp's sums to its 16 rows in shared memory; __syncwarp() before others read
// them.
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

// Those 16 rows to `c`, of which `rows` by `columns` are in the matrix: c = alpha*sum + beta*c; c
// is not read if beta is 0. `aligned`: c and its rows begin at multiples of 16 bytes.
__device__ static inline void store_rows(float *c, int ldc, int rows, int columns, bool aligned,
                                         const float *from, int pitch, float alpha, float beta)
{
    const int lane = threadIdx.x % 32;
    if (aligned && columns >= 32) {
        for (int i = lane / 8; i < 16; i += 4)
            if (i < rows)
                store_four(c + (size_t)i * ldc + lane % 8 * 4,
                           *(const float4 *)(from + i * pitch + lane % 8 * 4), alpha, beta);
    } else if (lane < columns) {
        for (int i = 0; i < 16 && i < rows; i++) {
            float *to = c + (size_t)i * ldc + lane;
            *to = scaled(from[i * pitch + lane], alpha, beta, to);
        }
    }
}

#endif
