/* ukr_f32_6x16_avx2.c: the 6 x 16 micro-kernel of AVX2 and FMA. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef float T;
typedef __m256 V;
typedef __m256i Tail;
enum { MR = 6, NR = 16, LANES = 8 };

static inline V zero(void)
{
    return _mm256_setzero_ps();
}

static inline V broadcast(T x)
{
    return _mm256_set1_ps(x);
}

static inline V load(const T *p)
{
    return _mm256_loadu_ps(p);
}

static inline void store(T *p, V v)
{
    _mm256_storeu_ps(p, v);
}

static inline V mul(V x, V y)
{
    return _mm256_mul_ps(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return _mm256_fmadd_ps(x, y, z);
}

static inline Tail tail_of(int n)
{
    static const int32_t ones[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones + LANES - n));
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm256_blendv_ps(rest, _mm256_maskload_ps(p, t), _mm256_castsi256_ps(t));
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm256_maskstore_ps(p, t, v);
}

static inline T sum_of(V v)
{
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f32_6x16_avx2 = {
    .name = "f32_6x16_avx2",
    .type = "f32",
    .isa = "avx2",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 168,
    .kc = 320,
    .nc = 3072,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .dots_rows = DOTS_ROWS,
    .dots_cols = DOTS_COLS,
};
