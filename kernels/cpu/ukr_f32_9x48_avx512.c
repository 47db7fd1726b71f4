/* ukr_f32_9x48_avx512.c: the 9 x 48 micro-kernel of AVX-512. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef float T;
typedef __m512 V;
typedef __mmask16 Tail;
enum { MR = 9, NR = 48, LANES = 16 };

static inline V zero(void)
{
    return _mm512_setzero_ps();
}

static inline V broadcast(T x)
{
    return _mm512_set1_ps(x);
}

static inline V load(const T *p)
{
    return _mm512_loadu_ps(p);
}

static inline void store(T *p, V v)
{
    _mm512_storeu_ps(p, v);
}

#define HAS_STREAM 1
static inline void stream(T *p, V v)
{
    _mm512_stream_ps(p, v);
}

static inline V mul(V x, V y)
{
    return _mm512_mul_ps(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return _mm512_fmadd_ps(x, y, z);
}

static inline Tail tail_of(int n)
{
    return (Tail)((1u << n) - 1);
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm512_mask_loadu_ps(rest, t, p);
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

#define HAS_MASKS 1
static inline V fmadd_masked(V x, V y, V z, Tail t)
{
    return _mm512_mask3_fmadd_ps(x, y, z, t);
}

#define HAS_HALVES 1
static inline V fmadd_half(V x, V y, V z)
{
    return _mm512_castps256_ps512(_mm256_fmadd_ps(
        _mm512_castps512_ps256(x), _mm512_castps512_ps256(y), _mm512_castps512_ps256(z)));
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm512_mask_storeu_ps(p, t, v);
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    const V ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const V cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const V abcd = _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee));
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(abcd), _mm512_extractf32x8_ps(abcd, 1));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f32_9x48_avx512 = {
    .name = "f32_9x48_avx512",
    .type = "f32",
    .isa = "avx512",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .few_steps = FEW_STEPS_OF_WIDE,
    .mc = 144,
    .kc = 512,
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
