/* transpose_avx512.c: transposing a small operand in vectors of 64 bytes. SPDX-License-Identifier:
 * MIT
 *
 * Sixteen rows by four steps of floats are transposed at a time (eight by two of doubles): loads
 * put quarters of vectors into their places, which takes no shuffle, and the remaining shuffles
 * stay within quarters. */
#include "cpu/transpose.h"

#include <immintrin.h>

#define INLINED static inline __attribute__((always_inline))

enum { LANES_F32 = 16, STEPS_F32 = 4, LANES_F64 = 8, STEPS_F64 = 2 };

INLINED __m512 quarters_f32(const float *r0, const float *r1, const float *r2, const float *r3)
{
    __m512 r = _mm512_castps128_ps512(_mm_loadu_ps(r0));
    r = _mm512_insertf32x4(r, _mm_loadu_ps(r1), 1);
    r = _mm512_insertf32x4(r, _mm_loadu_ps(r2), 2);
    return _mm512_insertf32x4(r, _mm_loadu_ps(r3), 3);
}

INLINED __m512d quarters_f64(const double *r0, const double *r1, const double *r2, const double *r3)
{
    __m512d r = _mm512_castpd128_pd512(_mm_loadu_pd(r0));
    r = _mm512_insertf64x2(r, _mm_loadu_pd(r1), 1);
    r = _mm512_insertf64x2(r, _mm_loadu_pd(r2), 2);
    return _mm512_insertf64x2(r, _mm_loadu_pd(r3), 3);
}

/* Transposes pairs, then groups of four. */
INLINED void store_f32(float *panel, int64_t width, const __m512 r[4])
{
    const __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
    const __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
    _mm512_storeu_ps(panel, _mm512_shuffle_ps(a, c, 0x44));
    _mm512_storeu_ps(panel + width, _mm512_shuffle_ps(a, c, 0xee));
    _mm512_storeu_ps(panel + 2 * width, _mm512_shuffle_ps(b, d, 0x44));
    _mm512_storeu_ps(panel + 3 * width, _mm512_shuffle_ps(b, d, 0xee));
}

INLINED void store_f64(double *panel, int64_t width, const __m512d r[2])
{
    _mm512_storeu_pd(panel, _mm512_unpacklo_pd(r[0], r[1]));
    _mm512_storeu_pd(panel + width, _mm512_unpackhi_pd(r[0], r[1]));
}

/* Rows are addressed from four base pointers: sixteen would not fit into registers. */
#define DEFINE_TRANSPOSE(T, V, name, LANES, STEPS)                                                 \
    static void transpose_whole_##name(T *panel, const T *source, int64_t depth, int64_t width,    \
                                       int64_t stride)                                             \
    {                                                                                              \
        const T *s0 = source, *s1 = s0 + STEPS * stride;                                           \
        const T *s2 = s1 + STEPS * stride, *s3 = s2 + STEPS * stride;                              \
        int64_t p = 0;                                                                             \
        for (; p + STEPS <= depth; p += STEPS) {                                                   \
            V r[STEPS];                                                                            \
            for (int i = 0; i < STEPS; i++)                                                        \
                r[i] = quarters_##name(s0 + i * stride, s1 + i * stride, s2 + i * stride,          \
                                       s3 + i * stride);                                           \
            store_##name(panel + p * width, width, r);                                             \
            s0 += STEPS, s1 += STEPS, s2 += STEPS, s3 += STEPS;                                    \
        }                                                                                          \
        for (; p < depth; p++)                                                                     \
            for (int64_t i = 0; i < LANES; i++)                                                    \
                panel[p * width + i] = source[i * stride + p];                                     \
    }                                                                                              \
                                                                                                   \
    static void transpose_ragged_##name(T *panel, const T *source, int64_t lanes, int64_t depth,   \
                                        int64_t width, int64_t stride)                             \
    {                                                                                              \
        const T *row[LANES];                                                                       \
        for (int64_t i = 0; i < LANES; i++)                                                        \
            row[i] = source + (i < lanes ? i : lanes - 1) * stride;                                \
        int64_t p = 0;                                                                             \
        for (; p + STEPS <= depth; p += STEPS) {                                                   \
            V r[STEPS];                                                                            \
            for (int i = 0; i < STEPS; i++)                                                        \
                r[i] = quarters_##name(row[i] + p, row[i + STEPS] + p, row[i + 2 * STEPS] + p,     \
                                       row[i + 3 * STEPS] + p);                                    \
            store_##name(panel + p * width, width, r);                                             \
        }                                                                                          \
        for (; p < depth; p++)                                                                     \
            for (int64_t i = 0; i < LANES; i++)                                                    \
                panel[p * width + i] = row[i][p];                                                  \
    }                                                                                              \
                                                                                                   \
    void gr_transpose_##name##_avx512(T *panel, const T *source, int64_t lanes, int64_t depth,     \
                                      int64_t stride)                                              \
    {                                                                                              \
        const int64_t width = (lanes + LANES - 1) / LANES * LANES;                                 \
        int64_t first = 0;                                                                         \
        for (; first + LANES <= lanes; first += LANES)                                             \
            transpose_whole_##name(panel + first, source + first * stride, depth, width, stride);  \
        if (first < lanes)                                                                         \
            transpose_ragged_##name(panel + first, source + first * stride, lanes - first, depth,  \
                                    width, stride);                                                \
    }

DEFINE_TRANSPOSE(float, __m512, f32, LANES_F32, STEPS_F32)
DEFINE_TRANSPOSE(double, __m512d, f64, LANES_F64, STEPS_F64)
