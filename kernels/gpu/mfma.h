// mfma.h: the matrix cores of AMD's CDNA: a wavefront multiplies two small matrices.
// SPDX-License-Identifier: MIT
//
// One instruction adds a product of SIDE x DEEP by DEEP x SIDE elements to SIDE x SIDE sums. It is
// executed by the 64 lanes of a wavefront, each of which has one element of A, one of B and SUMS of
// the sums: in f32 V_MFMA_F32_32X32X2F32, 32 x 32 sums and 2 steps of k, in f64
// V_MFMA_F64_16X16X4F64, 16 x 16 sums and 4 steps. On CDNA2 the first one takes 64 cycles and the
// second one 32, which is 256 FLOP per cycle and compute unit.
//
//      A  DEEP          B   SIDE, j = lane%SIDE     C: the lanes of its rows, and their sum
//        +--+--+           +-------------------+          f32                f64
//        |  |  |       k=0 | lanes 0 .. SIDE-1 |      i 0 | 0 .. 31   0  | 0 .. 15   0
//   SIDE |  |  |           +-------------------+        1 | 0 .. 31   1  | 16 .. 31  0
//        |  |  |       k=1 | lanes SIDE ..     |        4 | 32 .. 63  0  | 0 .. 15   1
//        +--+--+           +-------------------+        8 | 0 .. 31   4  | 0 .. 15   2
//        k = 0, 1 ..: lanes 0 .. SIDE-1, SIDE ..
//
// Source: AMD matrix instruction calculator (--detail-instruction of both, for CDNA2 and CDNA3).
#ifndef MFMA_H
#define MFMA_H

enum { SIDE = sizeof(T) == 8 ? 16 : 32, DEEP = 64 / SIDE, SUMS = SIDE * SIDE / 64 };
typedef T sums __attribute__((vector_size(SUMS * sizeof(T))));

// The place of a lane's element of A: row i and step k; and of B: column i and step k.
__device__ static inline int fragment_i(int lane)
{
    return lane % SIDE;
}

__device__ static inline int fragment_k(int lane)
{
    return lane / SIDE;
}

// The place of a lane's sum `s` in C. In f32 four sums are in four adjacent rows, and the lanes
// from 32 on have the next four rows; in f64 four groups of 16 lanes have four adjacent rows.
__device__ static inline int sum_row(int lane, int s)
{
    return SIDE == 32 ? s / 4 * 8 + lane / 32 * 4 + s % 4 : s * 4 + lane / 16;
}

__device__ static inline int sum_column(int lane)
{
    return lane % SIDE;
}

typedef float mfma_f32 __attribute__((vector_size(64)));
typedef double mfma_f64 __attribute__((vector_size(32)));

// On a host: c[s] += a of sum_row(lane, s) * b of sum_column(lane), for each k.
__device__ static inline mfma_f32 multiply_add(float a, float b, mfma_f32 c)
{
    return __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0);
}

__device__ static inline mfma_f64 multiply_add(double a, double b, mfma_f64 c)
{
    return __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0);
}

#endif
