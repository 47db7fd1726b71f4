/* pack_avx2.c: packing in vectors of 32 bytes; built with AVX2's flags only.
 * SPDX-License-Identifier: MIT */
#include "cpu/pack.h"
#include "cpu/pack_panels.h"

#if defined(__AVX2__)
#include <immintrin.h>

/* panel[p*width + i] = source[i*stride + p] for a square of 8: pairs, then fours, then halves
 * change places. */
static inline __attribute__((always_inline)) void transpose_f32(float *panel, int64_t width,
                                                                const float *source, int64_t stride)
{
    __m256 row[8], pair[8], four[8];
    for (int i = 0; i < 8; i++)
        row[i] = _mm256_loadu_ps(source + i * stride);
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        four[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
        four[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xee);
        four[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
        four[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xee);
    }
    for (int p = 0; p < 4; p++) {
        _mm256_storeu_ps(panel + p * width, _mm256_permute2f128_ps(four[p], four[p + 4], 0x20));
        _mm256_storeu_ps(panel + (p + 4) * width,
                         _mm256_permute2f128_ps(four[p], four[p + 4], 0x31));
    }
}

/* The same for a square of 4 doubles: pairs, then halves. */
static inline __attribute__((always_inline)) void
transpose_f64(double *panel, int64_t width, const double *source, int64_t stride)
{
    __m256d row[4], pair[4];
    for (int i = 0; i < 4; i++)
        row[i] = _mm256_loadu_pd(source + i * stride);
    for (int i = 0; i < 4; i += 2) {
        pair[i] = _mm256_unpacklo_pd(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int p = 0; p < 2; p++) {
        _mm256_storeu_pd(panel + p * width, _mm256_permute2f128_pd(pair[p], pair[p + 2], 0x20));
        _mm256_storeu_pd(panel + (p + 2) * width,
                         _mm256_permute2f128_pd(pair[p], pair[p + 2], 0x31));
    }
}

DEFINE_PACK(float, f32, gr_pack_f32_avx2, 8)
DEFINE_PACK(double, f64, gr_pack_f64_avx2, 4)
#endif
