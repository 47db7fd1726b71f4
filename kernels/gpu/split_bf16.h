// split_bf16.h: a float as the sum of three bf16 numbers, for products on tensor cores.
// SPDX-License-Identifier: MIT
//
// A float has 24 bits of significand; bf16 has 8 and the same exponents:
//
//    x            1.0110101 01101110 10111001     24 bits
//    piece 0      1.0110101                       x rounded to 8 bits
//    piece 1                 .01101110 1          the remainder, rounded to 8 bits
//    piece 2                           .0111001   the remainder, at most 8 bits
//
// Each piece is rounded to nearest, so the next one is at most 2^-8 of it, of either sign, and the
// subtractions are exact. Of the nine products of the pieces of two numbers, the three that are at
// most 2^-24 of the largest are omitted: 1*2, 2*1 and 2*2. They may have either sign, and are
// smaller than the rounding error of one product in float.
//
// The last bit of piece 2 is 2^-23 of x. For x down to 2^-110 this is not below the smallest bf16
// number, 2^-133. If each x is multiplied by SPLIT_SCALE, this is true down to the smallest float,
// 2^-149. From 2^112 on a scaled x is infinite; then piece 1 is NaN, and so is every sum to which
// it is added. So sums of pieces are either right or not finite, even if x itself is infinite or
// NaN. Source: Henry, Tang and Heinecke, arXiv:1904.06376 (three pieces of bf16, six products).
#ifndef SPLIT_BF16_H
#define SPLIT_BF16_H

#include <cuda_bf16.h>

#define SPLIT_SCALE 65536.0f   // 2^16, for each factor
#define SPLIT_UNSCALE 0x1p-32f // for a product

// piece[0], [1], [2] receive the pieces of x in their low halves, and those of y in the high
// halves.
__device__ static inline void split_two(float x, float y, unsigned piece[3])
{
#pragma unroll
    for (int p = 0; p < 3; p++) {
        const __nv_bfloat162 two = __floats2bfloat162_rn(x, y);
        piece[p] = *(const unsigned *)&two;
        x -= __uint_as_float(piece[p] << 16);
        y -= __uint_as_float(piece[p] & 0xffff0000);
    }
}

#endif
