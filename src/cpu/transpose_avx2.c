/* transpose_avx2.c: transposing a small operand in vectors of 32 bytes. SPDX-License-Identifier:
 * MIT
 */
#include <immintrin.h>
#include <stdint.h>

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

/* Transposes rows of two or three elements that are adjacent in memory, one row for each lane, with
 * loads of whole vectors. If a row has three elements, those of a step are in different lanes of
 * the three vectors, so that blends gather them, and one permutation sorts them. */
#define INLINED static inline __attribute__((always_inline))

INLINED void dense_two_f32(float *panel, int64_t width, const float *source)
{
    const __m256 first = _mm256_loadu_ps(source), second = _mm256_loadu_ps(source + 8);
    const __m256d even = _mm256_castps_pd(_mm256_shuffle_ps(first, second, 0x88));
    const __m256d odd = _mm256_castps_pd(_mm256_shuffle_ps(first, second, 0xdd));
    _mm256_storeu_ps(panel, _mm256_castpd_ps(_mm256_permute4x64_pd(even, 0xd8)));
    _mm256_storeu_ps(panel + width, _mm256_castpd_ps(_mm256_permute4x64_pd(odd, 0xd8)));
}

INLINED void dense_two_f64(double *panel, int64_t width, const double *source)
{
    const __m256d first = _mm256_loadu_pd(source), second = _mm256_loadu_pd(source + 4);
    const __m256d even = _mm256_unpacklo_pd(first, second);
    const __m256d odd = _mm256_unpackhi_pd(first, second);
    _mm256_storeu_pd(panel, _mm256_permute4x64_pd(even, 0xd8));
    _mm256_storeu_pd(panel + width, _mm256_permute4x64_pd(odd, 0xd8));
}

/* Element i of step p is element 3*i + p of the 24 that are loaded. */
INLINED void dense_three_f32(float *panel, int64_t width, const float *source)
{
    const __m256 x = _mm256_loadu_ps(source), y = _mm256_loadu_ps(source + 8);
    const __m256 z = _mm256_loadu_ps(source + 16);
    const __m256i at = _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5), one = _mm256_set1_epi32(1);
    const __m256 zero = _mm256_blend_ps(_mm256_blend_ps(x, y, 0x92), z, 0x24);
    const __m256 first = _mm256_blend_ps(_mm256_blend_ps(x, y, 0x24), z, 0x49);
    const __m256 second = _mm256_blend_ps(_mm256_blend_ps(x, y, 0x49), z, 0x92);
    const __m256i next = _mm256_add_epi32(at, one);
    _mm256_storeu_ps(panel, _mm256_permutevar8x32_ps(zero, at));
    _mm256_storeu_ps(panel + width, _mm256_permutevar8x32_ps(first, next));
    _mm256_storeu_ps(panel + 2 * width,
                     _mm256_permutevar8x32_ps(second, _mm256_add_epi32(next, one)));
}

INLINED void dense_three_f64(double *panel, int64_t width, const double *source)
{
    const __m256d x = _mm256_loadu_pd(source), y = _mm256_loadu_pd(source + 4);
    const __m256d z = _mm256_loadu_pd(source + 8);
    const __m256d zero = _mm256_blend_pd(_mm256_blend_pd(x, y, 0x4), z, 0x2);
    const __m256d first = _mm256_blend_pd(_mm256_blend_pd(x, y, 0x9), z, 0x4);
    const __m256d second = _mm256_blend_pd(_mm256_blend_pd(x, y, 0x2), z, 0x9);
    _mm256_storeu_pd(panel, _mm256_permute4x64_pd(zero, 0x6c));
    _mm256_storeu_pd(panel + width, _mm256_permute4x64_pd(first, 0xb1));
    _mm256_storeu_pd(panel + 2 * width, _mm256_permute4x64_pd(second, 0xc6));
}

#define DEFINE_DENSE(T, name, LANES)                                                               \
    static void transpose_dense_##name(T *panel, const T *source, int64_t lanes, int64_t depth,    \
                                       int64_t width)                                              \
    {                                                                                              \
        for (int64_t i = 0; i < lanes; i += LANES)                                                 \
            if (depth == 2)                                                                        \
                dense_two_##name(panel + i, width, source + 2 * i);                                \
            else                                                                                   \
                dense_three_##name(panel + i, width, source + 3 * i);                              \
    }
DEFINE_DENSE(float, f32, 8)
DEFINE_DENSE(double, f64, 4)
#undef INLINED
#define TRANSPOSE_DENSE_WHOLE(type) transpose_dense_##type

#include "cpu/transpose_lanes.h"
