// split_f16.h: a scaled float as two numbers of fp16, for products on tensor cores.
// SPDX-License-Identifier: MIT
//
// A float has 24 bits; fp16 has 11, and numbers from 2^-24 to 2^16. The largest |x| of a row of
// op(A) or column of op(B), scaled by a power of four, is from 2^13 to 2^15; the others of it get
// the same scale. Then
//
//    x            1.0110101011 0111010111001    24 bits
//    high         1.0110101011                  x rounded to 11 bits
//    low                     + 0.1110101110     2^11 times what is left, rounded to 11 bits
//
// Both are rounded to nearest, and what is subtracted is subtracted exactly. What is left is at
// most 2^-11 x, of either sign; it has 12 bits, of which `low` keeps 11 or all. The 2^11 gives it
// the range of `high`: without it, x below 2^-2 would have a `low` of fewer bits, with it, x below
// 2^-14. Of a product, high*high + 2^-11 (high*low + low*high), what is missing is low*low, 2^-22
// of it or less, and 2^-23 for each factor whose last bit is lost.
//
// Below 2^-14 `high` is a multiple of 2^-24, and what is left is up to 2^-25, a larger part of x.
// Such an x is lost if `high` is not all of it; what the losses of a row or column can do to a sum
// is at most 2^-20 each, as the other factor is below 2^15: 2^-36 * 2^15 by the rounding of what is
// left, 2^-25 * 2^4 by the missing low*low.
// Source: Ootomo and Yokota, arXiv:2203.03341 (two pieces of fp16, the second times 2^11).
#ifndef SPLIT_F16_H
#define SPLIT_F16_H

#include <cuda_fp16.h>

#define SPLIT_LOW 2048.0f         // what `low` is multiplied by
#define SPLIT_LOST 0x1p-20f       // what a lost factor can do to a sum of scaled products
#define SPLIT_SMALLEST 0x1p-14f   // from here on, fp16 has 11 bits

// 2^exponent, from -126 to 127.
__device__ static inline float power_of_two(int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

// The exponent of the scale, by the bits of the largest |x|. It is even, so that the scale has a
// root, and 126 at most, so that it has an inverse; also the least float, 2^-149, then is a number
// of fp16.
__device__ static inline int exponent_of_scale(int largest)
{
    return min(127 + 14 - (largest >> 23), 126) & ~1;
}

// The pieces `high` and `low` of x in the low halves, those of y in the high halves. How many of
// the two are lost.
__device__ static inline int split_two(float x, float y, unsigned piece[2])
{
    const __half2 high = __floats2half2_rn(x, y);
    const float rest_x = x - __low2float(high), rest_y = y - __high2float(high);
    const __half2 low = __floats2half2_rn(SPLIT_LOW * rest_x, SPLIT_LOW * rest_y);
    piece[0] = *(const unsigned *)&high;
    piece[1] = *(const unsigned *)&low;
    return (fabsf(x) < SPLIT_SMALLEST && rest_x != 0) + (fabsf(y) < SPLIT_SMALLEST && rest_y != 0);
}

#endif
