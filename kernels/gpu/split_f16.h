// split_f16.h: a scaled float as two numbers of fp16, for products on tensor cores.
// SPDX-License-Identifier: MIT
//
// A float has 24 bits of significand; fp16 has 11, and numbers from 2^-24 to 2^16. Each row of
// op(A) and column of op(B) is scaled by a power of four, so that its largest |x| is from 2^13 to
// 2^15. Then
//
//    x       1.0110101011 0111010111001   24 bits
//    high    1.0110101011                 x rounded to 11 bits
//    low     0.0000000000 011101011100    the remainder, rounded to 11 bits
//
// Both are rounded to nearest, and the subtraction is exact. The remainder is at most 2^-11 x, of
// either sign; it has 12 bits, of which `low` keeps 11 or all. A product is computed as high*high +
// high*low + low*high. The omitted low*low is at most 2^-22 of it, and the error is 2^-23 for each
// factor whose last bit is not kept.
//
// Below 2^-2 this is no longer true, since fp16 numbers are multiples of 2^-24: high + low is
// within 2^-25 of x. Such an x is called *lost*, unless high + low is x. The other factor is below
// 2^15, so that a lost x changes a sum by less than 2^-10. The kernels count lost elements, and
// compare their effect with the sum. (With a factor of 2^11 for `low`, only x below 2^-13 would be
// lost, but the products with `low` would need sums of their own: 22_scaled would take 1.2 times as
// long.)
// Source: Ootomo and Yokota, arXiv:2203.03341 (two pieces of fp16; there the second times 2^11).
#ifndef SPLIT_F16_H
#define SPLIT_F16_H

#include <cuda_fp16.h>

#define SPLIT_LOST 0x1p-10f    // more than the effect of a lost factor on a sum of products
#define SPLIT_SMALLEST 0x1p-2f // from this size on, no element is lost

// 2^exponent, from -126 to 127.
__device__ static inline float power_of_two(int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

// The exponent of the scale, from the bits of the largest |x|. It is even, so that the scale has a
// square root, and at most 126, so that it has an inverse. With it, even the smallest float,
// 2^-149, becomes an fp16 number.
__device__ static inline int exponent_of_scale(int largest)
{
    return min(127 + 14 - (largest >> 23), 126) & ~1;
}

// `rest` is what remains of x besides the two pieces. A scaled x may be 0 although x is not 0; x is
// then lost, too.
__device__ static inline bool is_lost(float x, float scaled, float rest)
{
    return fabsf(scaled) < SPLIT_SMALLEST && (rest != 0 || (scaled == 0 && x != 0));
}

// Writes the pieces of x to the low halves of piece[0] and [1], and those of y to the high halves.
// Returns how many of the two numbers are lost.
__device__ static inline int split_two(float x, float y, float scale, unsigned piece[2])
{
    const float scaled_x = scale * x, scaled_y = scale * y;
    const __half2 high = __floats2half2_rn(scaled_x, scaled_y);
    const float rest_x = scaled_x - __low2float(high), rest_y = scaled_y - __high2float(high);
    const __half2 low = __floats2half2_rn(rest_x, rest_y);
    piece[0] = *(const unsigned *)&high;
    piece[1] = *(const unsigned *)&low;
    return is_lost(x, scaled_x, rest_x - __low2float(low)) +
           is_lost(y, scaled_y, rest_y - __high2float(low));
}

#endif
