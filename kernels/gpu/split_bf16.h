// split_bf16.h: a float as three numbers of bf16 whose sum it is, for products on tensor cores.
// SPDX-License-Identifier: MIT
//
// A float has 24 bits, bf16 has 8 and the same exponents:
//
//    x            1.0110101 01101110 10111001     24 bits
//    piece 0      1.0110101                       x rounded to 8 bits
//    piece 1                 .01101110 1          what is left, rounded to 8 bits
//    piece 2                          .0111001    what is left: at most 8 bits
//
// Each piece is rounded to nearest, so the next is at most 2^-8 of it, of either sign, and what is
// subtracted is subtracted exactly. Of the nine products of two numbers' pieces, the three that
// have 2^-24 of the largest or less are left out: 1*2, 2*1 and 2*2. What they were is of either
// sign, and less than what the rounding of one product to a float loses.
//
// The last bit of piece 2 is 2^-23 of x. Down to 2^-110 this is no less than bf16's least number,
// 2^-133. SPLIT_SCALE times every x lets that reach to the least float, 2^-149; from 2^112 on
// a scaled x is infinite, piece 1 is NaN then, and so is every sum that it comes into. So sums of
// pieces are either right or not finite, also where x itself is infinite or NaN.
// Source: Henry, Tang and Heinecke, arXiv:1904.06376 (three pieces of bf16, six products).
#ifndef SPLIT_BF16_H
#define SPLIT_BF16_H

#include <cuda_bf16.h>

#define SPLIT_SCALE 65536.0f   // 2^16, of either factor
#define SPLIT_UNSCALE 0x1p-32f // of a product

// piece[0], [1], [2] get the pieces of x in their low halves, and those of y in the high halves.
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
