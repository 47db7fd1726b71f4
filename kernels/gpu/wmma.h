// wmma.h: AMD's matrix instructions for 16-bit elements: WMMA of RDNA 3 and 4, MFMA of CDNA.
// SPDX-License-Identifier: MIT
//
// An instruction adds a product of 16 x 16 by 16 x 16 elements, f16 or bf16, to 16 x 16 sums in
// f32. It is executed by a whole wavefront, and elements and sums are distributed over its lanes.
// Here a lane has EACH elements of A and of B, adjacent along k from fragment_k on, for a product
// with DEEP steps of k:
//
//            instruction                  lanes  EACH DEEP  fragment_k    sums  row of sum s
//   gfx11    V_WMMA_F32_16X16X16_F16         32    16   16  0                8  2*s + lane/16
//   gfx12    the same                        32     8   16  8*(lane/16)      8  8*(lane/16) + s
//   CDNA     V_MFMA_F32_16X16X16_F16, twice  64     8   32  8*(lane/16)      4  4*(lane/16) + s
//
// A lane's elements are in row (of A) or column (of B) lane%16, and its sums in column lane%16. On
// gfx11, lanes that are 16 apart have the same elements. On the others, elements may have any k, if
// it is the same in A and B, since the order of the steps does not change the sum: in gfx12's guide
// lanes 0 to 15 have k 0..3 and 8..11, but 0..7 here, and the two instructions of CDNA take the
// first and the last 4 elements of each lane. So a lane can load 16 bytes at a time.
//
// Source: AMD matrix instruction calculator (--detail-instruction for CDNA2, CDNA3, RDNA3, RDNA4).
#ifndef WMMA_H
#define WMMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { SIDE = 16, SUMS = SIDE * SIDE / LANES };
#if defined(__GFX11__)
enum { EACH = 16, DEEP = 16 };
#elif defined(__GFX12__)
enum { EACH = 8, DEEP = 16 };
#else
enum { EACH = 8, DEEP = 32 };
#endif
enum { V = 8, PARTS = EACH / V };
typedef short vec __attribute__((vector_size(2 * V))); // the bits of 8 elements
typedef struct {
    vec part[PARTS];
} fragment;
typedef float sums __attribute__((vector_size(4 * SUMS)));

// The part of a fragment that one instruction takes. For f16 it has a type of its own, but on a
// simulated device any type will do.
enum { TAKEN = LANES == 64 ? 4 : EACH };
typedef short taken __attribute__((vector_size(2 * TAKEN)));
#ifdef GRADUS_SIM
typedef taken taken_f16;
#else
typedef _Float16 taken_f16 __attribute__((vector_size(2 * TAKEN)));
#endif

// Loads the elements of a lane from a tile whose vectors are V steps of k of one row of A or column
// of B. The tile has the first V steps of all rows, row after row, and `rows` vectors later the
// next V.
__device__ static inline fragment load_fragment(const vec *tile, int rows, int lane)
{
    fragment f;
    for (int p = 0; p < PARTS; p++)
        f.part[p] = tile[(lane / SIDE * PARTS % (DEEP / V) + p) * rows + lane % SIDE];
    return f;
}

__device__ static inline int sum_row(int lane, int s)
{
    return EACH == 16 ? 2 * s + lane / SIDE : lane / SIDE * SUMS + s;
}

__device__ static inline int sum_column(int lane)
{
    return lane % SIDE;
}

// multiply_add, on a host: c[s] += A[sum_row(lane, s)][k] * B[k][sum_column(lane)] for each k. The
// first argument only selects the type of the elements.
#if defined(__GFX11__) || defined(__GFX12__)

#ifdef __GFX11__
#define WMMA(type) __builtin_amdgcn_wmma_f32_16x16x16_##type##_w32
#else
#define WMMA(type) __builtin_amdgcn_wmma_f32_16x16x16_##type##_w32_gfx12
#endif

__device__ static inline taken all_of(fragment a)
{
    taken all;
    for (int e = 0; e < EACH; e++)
        all[e] = a.part[e / V][e % V];
    return all;
}

__device__ static inline sums multiply_add(const __half *, fragment a, fragment b, sums c)
{
    return WMMA(f16)((taken_f16)all_of(a), (taken_f16)all_of(b), c);
}

__device__ static inline sums multiply_add(const __nv_bfloat16 *, fragment a, fragment b, sums c)
{
    return WMMA(bf16)(all_of(a), all_of(b), c);
}

#else

__device__ static inline taken first_four(fragment a)
{
    const taken four = {a.part[0][0], a.part[0][1], a.part[0][2], a.part[0][3]};
    return four;
}

__device__ static inline taken last_four(fragment a)
{
    const taken four = {a.part[0][4], a.part[0][5], a.part[0][6], a.part[0][7]};
    return four;
}

__device__ static inline sums multiply_add(const __half *, fragment a, fragment b, sums c)
{
    c = __builtin_amdgcn_mfma_f32_16x16x16f16((taken_f16)first_four(a), (taken_f16)first_four(b), c,
                                              0, 0, 0);
    return __builtin_amdgcn_mfma_f32_16x16x16f16((taken_f16)last_four(a), (taken_f16)last_four(b),
                                                 c, 0, 0, 0);
}

__device__ static inline sums multiply_add(const __nv_bfloat16 *, fragment a, fragment b, sums c)
{
    c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(first_four(a), first_four(b), c, 0, 0, 0);
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(last_four(a), last_four(b), c, 0, 0, 0);
}

#endif
#endif
