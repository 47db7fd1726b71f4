/* transpose_avx2.c: transposing a small operand in vectors of 32 bytes. SPDX-License-Identifier:
 * MIT
 */
#include <immintrin.h>

enum { PARTS = 2 };
typedef __m256 Vf;
typedef __m256d Vd;
#define OP(name) _mm256_##name
#define TRANSPOSE_NAME(type) gr_transpose_##type##_avx2

static inline __attribute__((always_inline)) Vf joined_f32(const __m128 x[PARTS])
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(x[0]), x[1], 1);
}

static inline __attribute__((always_inline)) Vd joined_f64(const __m128d x[PARTS])
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(x[0]), x[1], 1);
}

#include "cpu/transpose_lanes.h"
