/* ukr_f64_9x24_avx512.c: the 9 x 24 micro-kernel of AVX-512. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef double T;
typedef __m512d V;
typedef __mmask8 Tail;
enum { MR = 9, NR = 24, LANES = 8 };

static inline V zero(void)
{
    return _mm512_setzero_pd();
}

static inline V broadcast(T x)
{
    return _mm512_set1_pd(x);
}

static inline V load(const T *p)
{
    return _mm512_loadu_pd(p);
}

static inline void store(T *p, V v)
{
    _mm512_storeu_pd(p, v);
}

#define HAS_STREAM 1
static inline void stream(T *p, V v)
{
    _mm512_stream_pd(p, v);
}

static inline V mul(V x, V y)
{
    return _mm512_mul_pd(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return _mm512_fmadd_pd(x, y, z);
}

static inline Tail tail_of(int n)
{
    return (Tail)((1u << n) - 1);
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm512_mask_loadu_pd(rest, t, p);
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

#define HAS_MASKS 1
static inline V fmadd_masked(V x, V y, V z, Tail t)
{
    return _mm512_mask3_fmadd_pd(x, y, z, t);
}

#define HAS_HALVES 1
static inline V fmadd_half(V x, V y, V z)
{
    return _mm512_castpd256_pd512(_mm256_fmadd_pd(
        _mm512_castpd512_pd256(x), _mm512_castpd512_pd256(y), _mm512_castpd512_pd256(z)));
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm512_mask_storeu_pd(p, t, v);
}

static inline __m256d half_of(V v)
{
    return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    const __m256d ab = half_of(_mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)));
    const __m256d cd = half_of(_mm512_add_pd(_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d)));
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20),
                                       _mm256_permute2f128_pd(ab, cd, 0x31)));
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f64_9x24_avx512 = {
    .name = "f64_9x24_avx512",
    .type = "f64",
    .isa = "avx512",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .few_steps = FEW_STEPS_OF_WIDE,
    .mc = 144,
    .kc = 384,
    .nc = 2016,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
