/* ukr_s16_6x16_avx2.c: pairs of bytes that were widened to 16 bits (vpmaddwd).
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx2.h"

enum { MR = 6, NR = 16, STEPS = 2 };

/* Bytes are widened to 16 bits, so that the sum of two products always fits into 32 bits.
 * vpmaddubsw, which multiplies bytes, saturates. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16(a, b));
}

#include "ukr_dot.h"

const struct ukr ukr_s16_6x16_avx2 = {
    .name = "s16_6x16_avx2",
    .type = "s16",
    .isa = "avx2",
    .mr = MR,
    .nr = NR,
    .mc = 168,
    .kc = 640,
    .nc = 3072,
    .run = packed,
    .run_rows = rows,
};
