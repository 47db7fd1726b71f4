/* pack_avx512.c: packing lanes that are not contiguous into wide micro-panels, in vectors of 64
 * bytes. SPDX-License-Identifier: MIT
 *
 * The cache line of each lane is read by one load, and each step is written by one store. Loading
 * halves of vectors, as pack_avx2.c does, would need four times as many loads; and on Intel's cores
 * a load waits for each earlier store whose address has the same last twelve bits, which is
 * frequent if rows are a power of two apart. Narrow micro-panels, and copies without a transpose,
 * are no faster in wider vectors, so pack_avx2.c packs those. */
#include "cpu/pack.h"

#include <immintrin.h>

#define INLINED static inline __attribute__((always_inline))
#define EACH(i, count, step) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i += (step))

/* Transposes 4 x 4 parts of 16 bytes: part x of v[y] becomes part y of v[x]. */
#define DEFINE_PARTS(name, V, shuffled)                                                            \
    INLINED void transpose_parts_##name(V v[4])                                                    \
    {                                                                                              \
        const V a = shuffled(v[0], v[1], 0x88), b = shuffled(v[0], v[1], 0xdd);                    \
        const V c = shuffled(v[2], v[3], 0x88), d = shuffled(v[2], v[3], 0xdd);                    \
        v[0] = shuffled(a, c, 0x88);                                                               \
        v[1] = shuffled(b, d, 0x88);                                                               \
        v[2] = shuffled(a, c, 0xdd);                                                               \
        v[3] = shuffled(b, d, 0xdd);                                                               \
    }
DEFINE_PARTS(f32, __m512, _mm512_shuffle_f32x4)
DEFINE_PARTS(f64, __m512d, _mm512_shuffle_f64x2)

/* panel[p*width + i] = source[i*stride + p] for a square of 16 x 16: pairs, then groups of four,
 * then parts of 16 bytes. */
INLINED void transpose_f32(float *panel, int64_t width, const float *source, int64_t stride)
{
    __m512 four[4][4]; /* four[q][g]: steps q, q+4, ... of rows 4g..4g+3 */
    EACH(g, 4, 1)
    {
        const float *row = source + 4 * g * stride;
        const __m512 a = _mm512_loadu_ps(row), b = _mm512_loadu_ps(row + stride);
        const __m512 c = _mm512_loadu_ps(row + 2 * stride), d = _mm512_loadu_ps(row + 3 * stride);
        const __m512 ab = _mm512_unpacklo_ps(a, b), cd = _mm512_unpacklo_ps(c, d);
        const __m512 ab_high = _mm512_unpackhi_ps(a, b), cd_high = _mm512_unpackhi_ps(c, d);
        four[0][g] = _mm512_shuffle_ps(ab, cd, 0x44);
        four[1][g] = _mm512_shuffle_ps(ab, cd, 0xee);
        four[2][g] = _mm512_shuffle_ps(ab_high, cd_high, 0x44);
        four[3][g] = _mm512_shuffle_ps(ab_high, cd_high, 0xee);
    }
    EACH(q, 4, 1)
    {
        transpose_parts_f32(four[q]);
        EACH(x, 4, 1) _mm512_storeu_ps(panel + (4 * x + q) * width, four[q][x]);
    }
}

/* The same for a square of 8 x 8 doubles: pairs, then parts. */
INLINED void transpose_f64(double *panel, int64_t width, const double *source, int64_t stride)
{
    __m512d two[2][4]; /* two[q][g]: steps q, q+2, ... of rows 2g and 2g+1 */
    EACH(g, 4, 1)
    {
        const __m512d a = _mm512_loadu_pd(source + 2 * g * stride);
        const __m512d b = _mm512_loadu_pd(source + (2 * g + 1) * stride);
        two[0][g] = _mm512_unpacklo_pd(a, b);
        two[1][g] = _mm512_unpackhi_pd(a, b);
    }
    EACH(q, 2, 1)
    {
        transpose_parts_f64(two[q]);
        EACH(x, 4, 1) _mm512_storeu_pd(panel + (2 * x + q) * width, two[q][x]);
    }
}

#define PACK_WIDTHS(X) X(192)

#define T float
#define NAME(function) function##_f32
#define TRANSPOSE transpose_f32
#define PACK gr_pack_f32_avx512
#define PACK_NARROWER gr_pack_f32_avx2
#define SIDE 16
#include "cpu/pack_panels.h"

#define T double
#define NAME(function) function##_f64
#define TRANSPOSE transpose_f64
#define PACK gr_pack_f64_avx512
#define PACK_NARROWER gr_pack_f64_avx2
#define SIDE 8
#include "cpu/pack_panels.h"
