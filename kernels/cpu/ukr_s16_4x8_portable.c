/* ukr_s16_4x8_portable.c: pairs of bytes that were widened to 16 bits, in GNU C vectors of 16 bytes.
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <string.h>

typedef int32_t S;
typedef int32_t V __attribute__((vector_size(16)));
typedef uint32_t Unsigned __attribute__((vector_size(16)));
typedef V U;
typedef int Tail;
enum { MR = 4, NR = 8, LANES = 4, STEPS = 2 };

static inline V broadcast(S x)
{
    return x - (V){0};
}

static inline V load(const S *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(S *p, V v)
{
    memcpy(p, &v, sizeof v);
}

/* Arithmetic modulo 2^32, which C defines for unsigned numbers only. */
static inline V mul(V x, V y)
{
    return (V)((Unsigned)x * (Unsigned)y);
}

static inline V madd(V x, V y, V z)
{
    return (V)((Unsigned)x * (Unsigned)y + (Unsigned)z);
}

static inline U unit(const char *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return broadcast(pair);
}

static inline U units(const char *p)
{
    return load((const S *)(const void *)p);
}

#if defined(__SSE2__)
#include <emmintrin.h>

/* Every x86-64 CPU has pmaddwd, but without AVX2 there is no fast 32-bit multiplication. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm_add_epi32((__m128i)sum, _mm_madd_epi16((__m128i)a, (__m128i)b));
}
#else
/* Multiplies the two signed halves of each 32 bits. Their order in memory does not matter. */
static inline V dot(V sum, U a, U b)
{
    const V low_a = (V)((Unsigned)a << 16) >> 16, low_b = (V)((Unsigned)b << 16) >> 16;
    return madd(low_a, low_b, madd(a >> 16, b >> 16, sum));
}
#endif

static inline Tail tail_of(int n)
{
    return n;
}

static inline V load_tail(const S *p, Tail t)
{
    V v = {0};
    for (int i = 0; i < t; i++)
        v[i] = p[i];
    return v;
}

static inline void store_tail(S *p, Tail t, V v)
{
    for (int i = 0; i < t; i++)
        p[i] = v[i];
}

#include "ukr_dot.h"

const struct ukr ukr_s16_4x8_portable = {
    .name = "s16_4x8_portable",
    .type = "s16",
    .isa = "portable",
    .mr = MR,
    .nr = NR,
    .mc = 128,
    .kc = 512,
    .nc = 2048,
    .run = packed,
    .run_rows = rows,
};
