/* ukr_f32_6x16_avx2.c: the 6 x 16 micro-kernel of AVX2 and FMA. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef float T;
typedef __m256 V;
typedef struct {
    __m256i real; /* the mask */
    int n;
} Tail;
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

#define HAS_STREAM 1
static inline void stream(T *p, V v)
{
    _mm256_stream_ps(p, v);
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
    return (Tail){_mm256_loadu_si256((const __m256i *)(const void *)(ones + LANES - n)), n};
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm256_blendv_ps(rest, _mm256_maskload_ps(p, t.real), _mm256_castsi256_ps(t.real));
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

/* Masked stores are not used, because they take a dozen cycles on some CPUs. */
static inline void store_tail(T *p, Tail t, V v)
{
    if (t.n == LANES) {
        store(p, v);
        return;
    }
    __m128 left = _mm256_castps256_ps128(v);
    if (t.n == LANES / 2) {
        _mm_storeu_ps(p, left);
        return;
    }
    if (t.n & 4) {
        _mm_storeu_ps(p, left);
        left = _mm256_extractf128_ps(v, 1);
        p += 4;
    }
    if (t.n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, left);
        left = _mm_movehl_ps(left, left);
        p += 2;
    }
    if (t.n & 1)
        _mm_store_ss(p, left);
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    const V ab = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    const V cd = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    const V abcd = _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(abcd), _mm256_extractf128_ps(abcd, 1)));
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
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
