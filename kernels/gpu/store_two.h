// store_two.h: writes two adjacent sums of a thread, times alpha, to a C of 32 or 16 bits.
// SPDX-License-Identifier: MIT
//
// The sums of tensor cores are float, and each thread has two adjacent ones of a row (mma.h,
// wgmma.h). The type of C, T_C, may be float, bf16 or f16: alpha*sum + beta*C is computed in float
// and rounded once, to nearest. Two elements are one store of 8 or 4 bytes if C is aligned:
//
//       column     c          c+1
//              +----------+----------+
//        row   | sum[0]   | sum[1]   |      lane l has columns c = 8*j + 2*(l%4), c + 1
//              +----------+----------+
//               \____ one store ____/
#ifndef STORE_TWO_H
#define STORE_TWO_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ static inline float2 load_pair(const float *c)
{
    return *(const float2 *)c;
}

__device__ static inline float2 load_pair(const __nv_bfloat16 *c)
{
    const unsigned word = *(const unsigned *)c;
    return make_float2(__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000));
}

__device__ static inline float2 load_pair(const __half *c)
{
    return __half22float2(*(const __half2 *)c);
}

__device__ static inline void store_pair(float *c, float2 two)
{
    *(float2 *)c = two;
}

__device__ static inline void store_pair(__nv_bfloat16 *c, float2 two)
{
    *(__nv_bfloat162 *)c = __floats2bfloat162_rn(two.x, two.y);
}

__device__ static inline void store_pair(__half *c, float2 two)
{
    *(__half2 *)c = __floats2half2_rn(two.x, two.y);
}

__device__ static inline float load_one(const float *c)
{
    return *c;
}

__device__ static inline float load_one(const __nv_bfloat16 *c)
{
    return __bfloat162float(*c);
}

__device__ static inline float load_one(const __half *c)
{
    return __half2float(*c);
}

// On a host: c[0] = alpha*sum[0] + beta*c[0], and c[1] likewise if `count` is 2 or more; neither
// if it is 0 or less. C is not read if beta is 0. `aligned`: c is at a multiple of two elements.
__device__ static inline void store_two(T_C *c, int count, bool aligned, const float *sum,
                                        float alpha, float beta)
{
    float2 two = make_float2(alpha * sum[0], alpha * sum[1]);
    if (aligned && count >= 2) {
        if (beta != 0) {
            const float2 old = load_pair(c);
            two = make_float2(two.x + beta * old.x, two.y + beta * old.y);
        }
        store_pair(c, two);
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? two.x + beta * load_one(c) : two.x;
    if (count > 1)
        c[1] = beta != 0 ? two.y + beta * load_one(c + 1) : two.y;
}

#endif
