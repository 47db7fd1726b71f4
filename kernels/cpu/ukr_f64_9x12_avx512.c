/* ukr_f64_9x12_avx512.c: the 9 x 12 micro-kernel of AVX-512 with vectors of 32 bytes, for small
 * products whose columns fill at most half of the last vector of 64 bytes (gr_ukr_for). It has
 * twice as many registers as that of AVX2, and masked loads and stores.
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef double T;
typedef __m256d V;
typedef __mmask8 Tail;
enum { MR = 9, NR = 12, LANES = 4 };
#define HAS_WIDE 0

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
    return (Tail)((1u << n) - 1);
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    return _mm256_mask_loadu_pd(rest, t, p);
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

#define HAS_MASKS 1
static inline V fmadd_masked(V x, V y, V z, Tail t)
{
    return _mm256_mask3_fmadd_pd(x, y, z, t);
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm256_mask_storeu_pd(p, t, v);
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

const struct ukr ukr_f64_9x12_avx512 = {
    .name = "f64_9x12_avx512",
    .type = "f64",
    .isa = "avx512",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .few_steps = FEW_STEPS_OF_WIDE,
    .run_strided = strided,
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
