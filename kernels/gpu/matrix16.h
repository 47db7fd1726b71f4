// matrix16.h: AMD's matrix instructions for 16-bit elements: WMMA of RDNA 3 and 4, MFMA of CDNA.
// SPDX-License-Identifier: MIT
//
// One instruction adds a product of 16 x 16 by 16 x 16 elements, f16 or bf16, to 16 x 16 sums in
// f32. It is one of a whole wavefront: a lane has EACH elements of A and of B, which are
// neighbours along k, and SUMS sums. What differs is how the lanes share them:
//
//                  instruction                     lanes  EACH  first k        SUMS  row of sum s
//   gfx11          V_WMMA_F32_16X16X16_F16, _BF16     32    16  0                 8  2*s + lane/16
//   gfx12          the same                           32     8  8*(lane/16)       8  8*(lane/16) + s
//   gfx90a, gfx942 V_MFMA_F32_16X16X16_F16, _BF16     64     4  4*(lane/16)       4  4*(lane/16) + s
//
// A lane's elements are of row (of A) or column (of B) lane%16, and its sums of column lane%16. On
// gfx11 lanes 16 apart have the same elements twice. On gfx12 lanes 0 to 15 have k 0..3 and 8..11
// by the guide, and here 0..7: A and B agree, and the order of the k does not change their sum.
//
// Source: AMD matrix instruction calculator (--detail-instruction for CDNA2, CDNA3, RDNA3, RDNA4).
#ifndef MATRIX16_H
#define MATRIX16_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { SIDE = 16, SUMS = SIDE * SIDE / LANES };
#if defined(__GFX11__)
enum { EACH = 16 };
#else
enum { EACH = SIDE * SIDE / LANES };
#endif
typedef short fragment __attribute__((vector_size(2 * EACH), aligned(EACH < 8 ? 8 : 16)));
typedef float sums __attribute__((vector_size(4 * SUMS)));

// The fragments as the instructions for f16 take them. A simulated device takes any type.
#ifdef GRADUS_SIM
typedef fragment fragment_f16;
#else
typedef _Float16 fragment_f16 __attribute__((vector_size(2 * EACH)));
#endif

#if defined(__GFX11__)
#define MULTIPLY_F16(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)
#define MULTIPLY_BF16(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c)
#elif defined(__GFX12__)
#define MULTIPLY_F16(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c)
#define MULTIPLY_BF16(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c)
#else
#define MULTIPLY_F16(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
#define MULTIPLY_BF16(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0)
#endif

// The row of A or column of B that a lane's elements are of, and the first of their k.
__device__ static inline int fragment_i(int lane)
{
    return lane % SIDE;
}

__device__ static inline int fragment_k(int lane)
{
    return lane / SIDE * EACH % SIDE;
}

__device__ static inline int sum_row(int lane, int s)
{
    return EACH == 16 ? 2 * s + lane / SIDE : lane / SIDE * SUMS + s;
}

__device__ static inline int sum_column(int lane)
{
    return lane % SIDE;
}

// On a host: c[s] += A[sum_row(lane, s)][k] * B[k][sum_column(lane)] for each k. The first argument
// gives the type of the elements, whose bits the fragments are.
__device__ static inline sums multiply_add(const __half *, fragment a, fragment b, sums c)
{
    return MULTIPLY_F16((fragment_f16)a, (fragment_f16)b, c);
}

__device__ static inline sums multiply_add(const __nv_bfloat16 *, fragment a, fragment b, sums c)
{
    return MULTIPLY_BF16(a, b, c);
}

#endif
