// dmma.h: float64 on NVIDIA's tensor cores: 16 x 8 sums per warp with mma.sync (sm_80 and later).
// SPDX-License-Identifier: MIT
//
// A call adds a product of 16 x 8 by 8 x 8 doubles to 16 x 8 sums. It is one instruction on sm_90,
// DMMA.16x8x8; sm_80 has only m8n8k4, so that it is four instructions there, with the same
// registers. Each product is a fused multiply-add with one rounding to nearest, in ascending order
// of k. The operation is executed by a whole warp, and elements and sums are distributed over its
// lanes. The numbers below are lanes, and the names registers:
//
//            k  0   1   2   3    4   5   6   7             n  0    1    2   ..   7
//   row  0   |  0   1   2   3 |  0   1   2   3 |     k  0  |  0    4    8   ..  28 |
//        1   |  4   5   6   7 |  4   5   6   7 |        1  |  1    5    9   ..  29 |
//       ..   |      a[0]      |      a[2]      |        2  |  2    6   10   ..  30 |  b[0]
//        7   | 28  29  30  31 | 28  29  30  31 |        3  |  3    7   11   ..  31 |
//            +----------------+----------------+           +-----------------------+
//        8   |  0   1   2   3 |  0   1   2   3 |        4  |  0    4    8   ..  28 |
//       ..   |      a[1]      |      a[3]      |       ..  |                       |  b[1]
//       15   | 28  29  30  31 | 28  29  30  31 |        7  |  3    7   11   ..  31 |
//            A, 16 x 8                                     B, 8 x 8
//
//            n  0    1    2    3    4  ..   7
//   row  0   |  0    0    1    1    2  ..   3 |
//        1   |  4    4    5    5    6  ..   7 |   lane: c[0] and c[1], two neighbours of a row;
//       ..   |                                |   c[2] and c[3] are 8 rows below
//        7   | 28   28   29   29   30  ..  31 |   C, 16 x 8
//
// The places of A and B may have any k, if they are the same k in both; and the 16 rows and 8
// columns need not be adjacent in C. So each lane can load elements that are contiguous in memory.
// Source: PTX ISA, "Matrix fragments for mma.m8n8k4 with .f64 floating point type" and
// "mma.m16n8k8".
#ifndef DMMA_H
#define DMMA_H

#if __CUDA_ARCH__ >= 900

// On a host, for all i, j: c(i,j) += A(i,0)*B(0,j) + .. + A(i,7)*B(7,j).
__device__ static inline void dmma_16x8x8(double *c, const double *a, const double *b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

#else

// On a host, for all i, j: c(i,j) += A(i,0)*B(0,j) + .. + A(i,3)*B(3,j), for 8 x 8 sums.
__device__ static inline void dmma_8x8x4(double *c, double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                 "{%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

__device__ static inline void dmma_16x8x8(double *c, const double *a, const double *b)
{
    dmma_8x8x4(c, a[0], b[0]);
    dmma_8x8x4(c + 2, a[1], b[0]);
    dmma_8x8x4(c, a[2], b[1]);
    dmma_8x8x4(c + 2, a[3], b[1]);
}

#endif
#endif
