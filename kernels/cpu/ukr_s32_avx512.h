/* ukr_s32_avx512.h: vectors of s32 sums in AVX-512, for the micro-kernels of 8-bit integers
 * (ukr_dot.h). SPDX-License-Identifier: MIT */
#include <immintrin.h>
#include <string.h>

typedef int32_t S;
typedef int32_t V
    __attribute__((vector_size(64))); /* GNU C's type, whose conversions take no moves */
typedef __m512i U;
typedef __mmask16 Tail;
enum { LANES = 16 };

static inline V broadcast(S x)
{
    return (V)_mm512_set1_epi32(x);
}

static inline V load(const S *p)
{
    return (V)_mm512_loadu_si512(p);
}

static inline void store(S *p, V v)
{
    _mm512_storeu_si512(p, (__m512i)v);
}

static inline V mul(V x, V y)
{
    return (V)_mm512_mullo_epi32((__m512i)x, (__m512i)y);
}

static inline V madd(V x, V y, V z)
{
    return (V)_mm512_add_epi32((__m512i)mul(x, y), (__m512i)z);
}

static inline U unit(const char *p)
{
    int32_t four_bytes;
    memcpy(&four_bytes, p, sizeof four_bytes);
    return _mm512_set1_epi32(four_bytes);
}

static inline U units(const char *p)
{
    return _mm512_loadu_si512(p);
}

static inline Tail tail_of(int n)
{
    return (Tail)((1u << n) - 1);
}

static inline V load_tail(const S *p, Tail t)
{
    return (V)_mm512_maskz_loadu_epi32(t, p);
}

static inline void store_tail(S *p, Tail t, V v)
{
    _mm512_mask_storeu_epi32(p, t, (__m512i)v);
}
