/* transpose_avx512.c: transposing a small operand in vectors of 64 bytes. SPDX-License-Identifier:
 * MIT */
#include <immintrin.h>
#include <stdint.h>

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

/* Transposes rows of two to four elements that are adjacent in memory. Whole vectors are loaded,
 * and each step takes its elements, at the indices `at`, from them by one or two shuffles of two
 * vectors. Lanes beyond the last row repeat the elements of the last row. */
#define INLINED static inline __attribute__((always_inline))

INLINED __m512 picked_f32(const __m512 v[4], int depth, __m512i at)
{
    const __m512 low = _mm512_permutex2var_ps(v[0], at, v[1]);
    if (depth == 2)
        return low;
    const __mmask16 later = _mm512_cmpgt_epi32_mask(at, _mm512_set1_epi32(31));
    return depth == 3 ? _mm512_mask_permutexvar_ps(low, later, at, v[2])
                      : _mm512_mask_blend_ps(later, low, _mm512_permutex2var_ps(v[2], at, v[3]));
}

INLINED __m512d picked_f64(const __m512d v[4], int depth, __m512i at)
{
    const __m512d low = _mm512_permutex2var_pd(v[0], at, v[1]);
    if (depth == 2)
        return low;
    const __mmask8 later = _mm512_cmpgt_epi64_mask(at, _mm512_set1_epi64(15));
    return depth == 3 ? _mm512_mask_permutexvar_pd(low, later, at, v[2])
                      : _mm512_mask_blend_pd(later, low, _mm512_permutex2var_pd(v[2], at, v[3]));
}

/* A mask of the lowest `count` bits, and of at most `most` bits. */
INLINED unsigned first_bits(int64_t count, int most)
{
    return count <= 0 ? 0 : ~0u >> (32 - (count < most ? count : most));
}

#define DEFINE_DENSE(T, name, V, ps, epi, LANES, IOTA)                                             \
    INLINED void dense_vector_##name(T *panel, int64_t width, const T *source, int depth,          \
                                     int64_t lanes)                                                \
    {                                                                                              \
        V v[4];                                                                                    \
        _Pragma("GCC unroll 4") for (int x = 0; x < depth; x++) v[x] = _mm512_maskz_loadu_##ps(    \
            first_bits(lanes * depth - x * LANES, LANES), source + x * LANES);                     \
        const __m512i lane = _mm512_min_##epi(IOTA, _mm512_set1_##epi(lanes - 1));                 \
        const __m512i twice = _mm512_add_##epi(lane, lane);                                        \
        __m512i at = depth == 2   ? twice                                                          \
                     : depth == 3 ? _mm512_add_##epi(twice, lane)                                  \
                                  : _mm512_add_##epi(twice, twice);                                \
        _Pragma("GCC unroll 4") for (int p = 0; p < depth; p++)                                    \
        {                                                                                          \
            _mm512_storeu_##ps(panel + p * width, picked_##name(v, depth, at));                    \
            at = _mm512_add_##epi(at, _mm512_set1_##epi(1));                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    INLINED void dense_rows_##name(T *panel, const T *source, int64_t lanes, int64_t width,        \
                                   int depth)                                                      \
    {                                                                                              \
        for (; lanes >= LANES; lanes -= LANES, panel += LANES, source += LANES * depth)            \
            dense_vector_##name(panel, width, source, depth, LANES);                               \
        if (lanes > 0)                                                                             \
            dense_vector_##name(panel, width, source, depth, lanes);                               \
    }                                                                                              \
                                                                                                   \
    static void transpose_dense_##name(T *panel, const T *source, int64_t lanes, int64_t depth,    \
                                       int64_t width)                                              \
    {                                                                                              \
        switch (depth) {                                                                           \
        case 2:                                                                                    \
            dense_rows_##name(panel, source, lanes, width, 2);                                     \
            break;                                                                                 \
        case 3:                                                                                    \
            dense_rows_##name(panel, source, lanes, width, 3);                                     \
            break;                                                                                 \
        case 4:                                                                                    \
            dense_rows_##name(panel, source, lanes, width, 4);                                     \
            break;                                                                                 \
        }                                                                                          \
    }

DEFINE_DENSE(float, f32, __m512, ps, epi32, 16,
             _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
DEFINE_DENSE(double, f64, __m512d, pd, epi64, 8, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
#undef INLINED
#define TRANSPOSE_DENSE(type) transpose_dense_##type

#include "cpu/transpose_lanes.h"
