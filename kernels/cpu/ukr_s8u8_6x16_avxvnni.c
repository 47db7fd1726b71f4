/* ukr_s8u8_6x16_avxvnni.c: signed times unsigned bytes, four at a time, in the registers of AVX2
 * (vpdpbusd). SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx2.h"

enum { MR = 6, NR = 16, STEPS = 4 };

/* The instruction multiplies unsigned by signed bytes, so the operands are exchanged. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm256_dpbusd_avx_epi32((__m256i)sum, b, a);
}

#include "ukr_dot.h"

const struct ukr ukr_s8u8_6x16_avxvnni = {
    .name = "s8u8_6x16_avxvnni",
    .type = "s8u8",
    .isa = "avxvnni",
    .mr = MR,
    .nr = NR,
    .mc = 168,
    .kc = 1280,
    .nc = 3072,
    .run = packed,
    .run_rows = rows,
};
