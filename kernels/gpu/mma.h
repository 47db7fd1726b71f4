// mma.h: NVIDIA's tensor cores with mma.sync: 16 x 8 sums per warp (sm_80 and later).
// SPDX-License-Identifier: MIT
//
// One instruction adds a product of 16 x DEEP by DEEP x 8 elements to 16 x 8 sums in f32. It is
// executed by a whole warp, and elements and sums are distributed over its lanes:
//
//   elements    DEEP   registers of A   of B   an element is
//   f16, bf16     16                4      2   16 bits: two neighbours along k in each register
//   tf32           8                4      2   the upper 19 bits of a float: one in each register
//
// The lanes that have each 16-bit element (the numbers), and their registers (the names):
//
//            k  0 1  2 3  4 5  6 7   8 9 .. 15             n  0   1   2  ..  7
//   row  0   |  0 0  1 1  2 2  3 3 | 0 0 .. 3 3 |    k 0,1 |  0   4   8  .. 28 |
//        1   |  4 4  5 5  6 6  7 7 | 4 4 .. 7 7 |      2,3 |  1   5   9  .. 29 |
//       ..   |        a[0]         |    a[2]    |      4,5 |  2   6  10  .. 30 |  b[0]
//        7   | 28 ..          31 31 | 28 .. 31  |      6,7 |  3   7  11  .. 31 |
//        8   |  0 0  1 1  2 2  3 3 | 0 0 .. 3 3 |    k 8,9 |  0   4   8  .. 28 |
//       ..   |        a[1]         |    a[3]    |       .. |                   |  b[1]
//       15   | 28 ..          31 31 | 28 .. 31  |    14,15 |  3   7  11  .. 31 |
//            A, 16 x 16                              B, 16 x 8
//
//            n  0    1    2    3    4  ..   7
//   row  0   |  0    0    1    1    2  ..   3 |
//        1   |  4    4    5    5    6  ..   7 |   lane: c[0] and c[1], two neighbours of a row;
//       ..   |                                |   c[2] and c[3] are 8 rows below
//        7   | 28   28   29   29   30  ..  31 |   C, 16 x 8
//
// With tf32 a register has one element instead of two: a[0] is row lane/4, k lane%4; a[1] is 8 rows
// below; a[2] and a[3] are 4 further along k. b[0] is k lane%4, column lane/4; b[1] is 4 further.
// Source: PTX ISA, "Matrix fragments for mma.m16n8k16" and "mma.m16n8k8".
#ifndef MMA_H
#define MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// On a host, for all i, j: c(i,j) += A(i,0)*B(0,j) + .. + A(i,15)*B(15,j). The first argument only
// selects the type of the elements.
__device__ static inline void mma_16x8x16(const __nv_bfloat16 *, float *c, const unsigned *a,
                                          const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ static inline void mma_16x8x16(const __half *, float *c, const unsigned *a,
                                          const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A float rounded to tf32: to the nearest, ties to even, as `//@ math tf32` is verified
// (cvt.rna.tf32 is one instruction, but rounds ties away from zero). The instruction below ignores
// the lower 13 bits. Inf and NaN are not changed.
__device__ static inline unsigned to_tf32(float x)
{
    const unsigned bits = __float_as_uint(x), exponent = 0x7f800000;
    return (bits & exponent) == exponent ? bits : bits + 0xfff + (bits >> 13 & 1);
}

// The same for tf32, with 8 steps of k.
__device__ static inline void mma_16x8x8_tf32(float *c, const unsigned *a, const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif
