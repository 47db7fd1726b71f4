/* ukr_f64_6x8_avx2.c: the 6 x 8 micro-kernel of AVX2 and FMA. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef double T;
typedef __m256d V;
typedef struct {
    __m256i real; /* the mask */
    int n;
} Tail;
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

#define HAS_STREAM 1
static inline void stream(T *p, V v)
{
    _mm256_stream_pd(p, v);
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
    return (Tail){_mm256_loadu_si256((const __m256i *)(const void *)(ones + LANES - n)), n};
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm256_blendv_pd(rest, _mm256_maskload_pd(p, t.real), _mm256_castsi256_pd(t.real));
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
    __m128d left = _mm256_castpd256_pd128(v);
    if (t.n == LANES / 2) {
        _mm_storeu_pd(p, left);
        return;
    }
    if (t.n & 2) {
        _mm_storeu_pd(p, left);
        left = _mm256_extractf128_pd(v, 1);
        p += 2;
    }
    if (t.n & 1)
        _mm_store_sd(p, left);
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    const V ab = _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    const V cd = _mm256_add_pd(_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20),
                                       _mm256_permute2f128_pd(ab, cd, 0x31)));
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
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
