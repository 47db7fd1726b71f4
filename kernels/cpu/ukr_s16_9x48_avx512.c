/* ukr_s16_9x48_avx512.c: pairs of bytes that were widened to 16 bits (vpmaddwd).
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx512.h"

enum { MR = 9, NR = 48, STEPS = 2 };

/* Bytes are widened to 16 bits, so that the sum of two products always fits into 32 bits.
 * vpmaddubsw, which multiplies bytes, saturates. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm512_add_epi32((__m512i)sum, _mm512_madd_epi16(a, b));
}

#include "ukr_dot.h"

const struct ukr ukr_s16_9x48_avx512 = {
    .name = "s16_9x48_avx512",
    .type = "s16",
    .isa = "avx512",
    .mr = MR,
    .nr = NR,
    .mc = 144,
    .kc = 1024,
    .nc = 2016,
    .run = packed,
    .run_rows = rows,
};
