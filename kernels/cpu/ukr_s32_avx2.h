/* ukr_s32_avx2.h: vectors of s32 sums in AVX2, for the micro-kernels of 8-bit integers (ukr_dot.h).
 * SPDX-License-Identifier: MIT */
#include <immintrin.h>
#include <string.h>

typedef int32_t S;
typedef int32_t V
    __attribute__((vector_size(32))); /* GNU C's type, whose conversions take no moves */
typedef __m256i U;
typedef __m256i Tail;
enum { LANES = 8 };

static inline V broadcast(S x)
{
    return (V)_mm256_set1_epi32(x);
}

static inline V load(const S *p)
{
    return (V)_mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void store(S *p, V v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, (__m256i)v);
}

static inline V mul(V x, V y)
{
    return (V)_mm256_mullo_epi32((__m256i)x, (__m256i)y);
}

static inline V madd(V x, V y, V z)
{
    return (V)_mm256_add_epi32((__m256i)mul(x, y), (__m256i)z);
}

static inline U unit(const char *p)
{
    int32_t four_bytes;
    memcpy(&four_bytes, p, sizeof four_bytes);
    return _mm256_set1_epi32(four_bytes);
}

static inline U units(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline Tail tail_of(int n)
{
    static const int32_t ones[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones + LANES - n));
}

static inline V load_tail(const S *p, Tail t)
{
    return (V)_mm256_maskload_epi32(p, t);
}

static inline void store_tail(S *p, Tail t, V v)
{
    _mm256_maskstore_epi32(p, t, (__m256i)v);
}
