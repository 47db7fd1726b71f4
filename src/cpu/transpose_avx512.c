/* transpose_avx512.c: transposing a small operand in vectors of 64 bytes. SPDX-License-Identifier:
 * MIT */
#include <immintrin.h>

enum { PARTS = 4 };
typedef __m512 Vf;
typedef __m512d Vd;
#define OP(name) _mm512_##name
#define TRANSPOSE_NAME(type) gr_transpose_##type##_avx512

static inline __attribute__((always_inline)) Vf joined_f32(const __m128 x[PARTS])
{
    const __m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(x[0]), x[1], 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(low, x[2], 2), x[3], 3);
}

static inline __attribute__((always_inline)) Vd joined_f64(const __m128d x[PARTS])
{
    const __m512d low = _mm512_insertf64x2(_mm512_castpd128_pd512(x[0]), x[1], 1);
    return _mm512_insertf64x2(_mm512_insertf64x2(low, x[2], 2), x[3], 3);
}

#include "cpu/transpose_lanes.h"
