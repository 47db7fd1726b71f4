/* pack_avx2.c: packing in vectors of 32 bytes, for the micro-panels of AVX2 and AVX-512.
 * SPDX-License-Identifier: MIT */
#include "cpu/pack.h"

#include <immintrin.h>

#define PACK_WIDTHS(X) X(192) X(72) X(64) X(48) X(36) X(24)

/* Loads 16 bytes of each of two rows into the two halves of a vector. This needs no shuffle,
 * because vinsertf128 loads from memory. */
static inline __attribute__((always_inline)) __m256 halves_f32(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

static inline __attribute__((always_inline)) __m256d halves_f64(const double *low,
                                                                const double *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

/* panel[p*width + i] = source[i*stride + p] for a square of 8 x 8: the loads transpose halves, and
 * the shuffles pairs and then groups of four. */
static inline __attribute__((always_inline)) void transpose_f32(float *panel, int64_t width,
                                                                const float *source, int64_t stride)
{
    for (int p = 0; p < 8; p += 4, source += 4, panel += 4 * width) {
        __m256 row[4], pair[4];
        for (int i = 0; i < 4; i++)
            row[i] = halves_f32(source + i * stride, source + (i + 4) * stride);
        for (int i = 0; i < 4; i += 2) {
            pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
            pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
        }
        _mm256_storeu_ps(panel, _mm256_shuffle_ps(pair[0], pair[2], 0x44));
        _mm256_storeu_ps(panel + width, _mm256_shuffle_ps(pair[0], pair[2], 0xee));
        _mm256_storeu_ps(panel + 2 * width, _mm256_shuffle_ps(pair[1], pair[3], 0x44));
        _mm256_storeu_ps(panel + 3 * width, _mm256_shuffle_ps(pair[1], pair[3], 0xee));
    }
}

/* The same for a square of 4 x 4 doubles: halves, then pairs. */
static inline __attribute__((always_inline)) void
transpose_f64(double *panel, int64_t width, const double *source, int64_t stride)
{
    for (int p = 0; p < 4; p += 2, source += 2, panel += 2 * width) {
        const __m256d even = halves_f64(source, source + 2 * stride);
        const __m256d odd = halves_f64(source + stride, source + 3 * stride);
        _mm256_storeu_pd(panel, _mm256_unpacklo_pd(even, odd));
        _mm256_storeu_pd(panel + width, _mm256_unpackhi_pd(even, odd));
    }
}

/* panel[p*6 + i] = source[i*stride + p] for one cache line of each of six rows: four rows as above,
 * and then the other two. */
static inline __attribute__((always_inline)) void six_f32(float *panel, const float *source,
                                                          int64_t stride)
{
    for (int p = 0; p < 16; p += 8, source += 8, panel += 8 * 6) {
        __m256 row[6], quad[4], pair[4];
        for (int i = 0; i < 6; i++)
            row[i] = _mm256_loadu_ps(source + i * stride);
        for (int i = 0; i < 4; i += 2) {
            pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
            pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
        }
        quad[0] = _mm256_shuffle_ps(pair[0], pair[2], 0x44);
        quad[1] = _mm256_shuffle_ps(pair[0], pair[2], 0xee);
        quad[2] = _mm256_shuffle_ps(pair[1], pair[3], 0x44);
        quad[3] = _mm256_shuffle_ps(pair[1], pair[3], 0xee);
        const __m256 low = _mm256_unpacklo_ps(row[4], row[5]);
        const __m256 high = _mm256_unpackhi_ps(row[4], row[5]);
        for (int half = 0; half < 2; half++) {
            float *to = panel + half * 4 * 6;
            for (int step = 0; step < 4; step++)
                _mm_storeu_ps(to + step * 6, half ? _mm256_extractf128_ps(quad[step], 1)
                                                  : _mm256_castps256_ps128(quad[step]));
            const __m128 first = half ? _mm256_extractf128_ps(low, 1) : _mm256_castps256_ps128(low);
            const __m128 last =
                half ? _mm256_extractf128_ps(high, 1) : _mm256_castps256_ps128(high);
            _mm_storel_pi((__m64 *)(void *)(to + 4), first);
            _mm_storeh_pi((__m64 *)(void *)(to + 6 + 4), first);
            _mm_storel_pi((__m64 *)(void *)(to + 2 * 6 + 4), last);
            _mm_storeh_pi((__m64 *)(void *)(to + 3 * 6 + 4), last);
        }
    }
}

/* The same for doubles, in three pairs of rows. */
static inline __attribute__((always_inline)) void six_f64(double *panel, const double *source,
                                                          int64_t stride)
{
    for (int p = 0; p < 8; p += 4, source += 4, panel += 4 * 6)
        for (int i = 0; i < 6; i += 2) {
            const __m256d first = _mm256_loadu_pd(source + i * stride);
            const __m256d second = _mm256_loadu_pd(source + (i + 1) * stride);
            const __m256d even = _mm256_unpacklo_pd(first, second);
            const __m256d odd = _mm256_unpackhi_pd(first, second);
            _mm_storeu_pd(panel + i, _mm256_castpd256_pd128(even));
            _mm_storeu_pd(panel + 6 + i, _mm256_castpd256_pd128(odd));
            _mm_storeu_pd(panel + 2 * 6 + i, _mm256_extractf128_pd(even, 1));
            _mm_storeu_pd(panel + 3 * 6 + i, _mm256_extractf128_pd(odd, 1));
        }
}

#define T float
#define NAME(function) function##_f32
#define TRANSPOSE transpose_f32
#define TRANSPOSE_SIX six_f32
#define PACK gr_pack_f32_avx2
#define SIDE 8
#include "cpu/pack_panels.h"

#define T double
#define NAME(function) function##_f64
#define TRANSPOSE transpose_f64
#define TRANSPOSE_SIX six_f64
#define PACK gr_pack_f64_avx2
#define SIDE 4
#include "cpu/pack_panels.h"
