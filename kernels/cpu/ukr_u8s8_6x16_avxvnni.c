/* ukr_u8s8_6x16_avxvnni.c: unsigned times signed bytes, four at a time, in the registers of AVX2
 * (vpdpbusd). SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx2.h"

enum { MR = 6, NR = 16, STEPS = 4 };

/* The instruction multiplies unsigned by signed bytes, in this order. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm256_dpbusd_avx_epi32((__m256i)sum, a, b);
}

#include "ukr_dot.h"

const struct ukr ukr_u8s8_6x16_avxvnni = {
    .name = "u8s8_6x16_avxvnni",
    .type = "u8s8",
    .isa = "avxvnni",
    .mr = MR,
    .nr = NR,
    .mc = 168,
    .kc = 1280,
    .nc = 3072,
    .run = packed,
    .run_rows = rows,
};
