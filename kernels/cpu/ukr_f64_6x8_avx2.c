/* ukr_f64_6x8_avx2.c: the 6 x 8 micro-kernel of AVX2 and FMA. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef double T;
typedef __m256d V;
typedef __m256i Tail;
enum { MR = 6, NR = 8, LANES = 4 };

static inline V zero(void)
{
    return _mm256_setzero_pd();
}

static inline V broadcast(T x)
{
    return _mm256_set1_pd(x);
}

static inline V load(const T *p)
{
    return _mm256_loadu_pd(p);
}

static inline void store(T *p, V v)
{
    _mm256_storeu_pd(p, v);
}

static inline V mul(V x, V y)
{
    return _mm256_mul_pd(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return _mm256_fmadd_pd(x, y, z);
}

static inline Tail tail_of(int n)
{
    static const int64_t ones[2 * LANES] = {-1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones + LANES - n));
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm256_blendv_pd(rest, _mm256_maskload_pd(p, t), _mm256_castsi256_pd(t));
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm256_maskstore_pd(p, t, v);
}

static inline T sum_of(V v)
{
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f64_6x8_avx2 = {
    .name = "f64_6x8_avx2",
    .type = "f64",
    .isa = "avx2",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 96,
    .kc = 320,
    .nc = 2048,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .dots_rows = DOTS_ROWS,
    .dots_cols = DOTS_COLS,
};
