/* ukr_bf16_9x48_avx512bf16.c: bfloat16 in pairs, sums in float (vdpbf16ps).
 * SPDX-License-Identifier: MIT
 *
 * The instruction treats denormal operands and results as 0 and raises no flags. */
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

#include "ukr_dot.h"

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
};
