/* ukr_bf16_9x48_avx512bf16.c: bfloat16 in pairs, with sums in float (vdpbf16ps).
 * SPDX-License-Identifier: MIT
 *
 * The instruction treats denormal operands and results as 0 and raises no exception flags. */
#include "ukr.h"

#include "ukr_f32_avx512.h"

typedef __m512bh U;
enum { MR = 9, NR = 48, STEPS = 2 };

static inline U unit(const char *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return (U)_mm512_set1_epi32(pair);
}

static inline U units(const char *p)
{
    return (U)_mm512_loadu_si512(p);
}

static inline V dot(V sum, U a, U b)
{
    return _mm512_dpbf16_ps(sum, a, b);
}

enum { ELEMENT = 2 };

/* Puts one row of B into the lower halves of the units, and the next one into the upper halves. */
static inline U gathered(const char *b, int64_t step, int64_t steps, Tail tail)
{
    const __m512i lower = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(tail, b));
    if (steps < STEPS)
        return (U)lower;
    const __m512i upper = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(tail, b + step));
    return (U)_mm512_or_si512(lower, _mm512_slli_epi32(upper, 16));
}

static inline U run_of(const char *p, int64_t bytes)
{
    return (U)_mm512_maskz_loadu_epi8(((__mmask64)1 << bytes) - 1, p);
}

/* Floating-point numbers have no signedness to change. */
static inline U flipped(U u, int32_t mask)
{
    (void)mask;
    return u;
}

static inline void scaled(S alpha, S x, S start, S beta, S *c)
{
    *c = alpha * (x + start) + (beta == 0 ? 0 : beta * *c);
}

#include "ukr_dot.h"
#include "ukr_dot_in_place.h"

const struct ukr ukr_bf16_9x48_avx512bf16 = {
    .name = "bf16_9x48_avx512bf16",
    .type = "bf16",
    .isa = "avx512bf16",
    .mr = MR,
    .nr = NR,
    .mc = 144,
    .kc = 1024,
    .nc = 2016,
    .run = packed,
    .run_rows = rows,
    .run_in_place = in_place,
    .run_short_dots = dots,
};
