// shares.h: the number of a block's tile, and the steps along K that it multiplies there.
// SPDX-License-Identifier: MIT
//
// A block computes these before it issues its first copy. An integer division takes some 40
// instructions, and one of 64-bit integers a call of a function: with several of them, tensor cores
// wait for half a microsecond. Here divisors are powers of two, or the quotient is mostly 0.
//
//     steps of K   0   1   2   3   4   5   6        7 steps in 4 parts: the first step of each is
//                | part 0 | 1     | 2     | 3     |  7*part/4 = 0, 1, 3, 5, and 7 after the last
#ifndef SHARES_H
#define SHARES_H

// Divides a number that is not negative by a power of two.
__device__ static inline int over(int number, int power)
{
    return number >> __popc(power - 1);
}

// Divides where the quotient is 0 in most products.
__device__ static inline int quotient(int number, int divisor)
{
    return number < divisor ? 0 : (int)((unsigned)number / (unsigned)divisor);
}

// The first of the steps of a part. The number of parts is a power of two.
__device__ static inline int first_step(int steps, int part, int parts)
{
    return (int)((long long)steps * part >> __popc(parts - 1));
}

#endif
