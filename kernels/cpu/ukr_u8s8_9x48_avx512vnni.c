/* ukr_u8s8_9x48_avx512vnni.c: unsigned times signed bytes, four at a time (vpdpbusd).
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx512.h"

enum { MR = 9, NR = 48, STEPS = 4 };

/* The instruction multiplies unsigned by signed bytes, in this order. Sums wrap around; vpdpbusds
 * is the form that saturates. */
static inline V dot(V sum, U a, U b)
{
    return (V)_mm512_dpbusd_epi32((__m512i)sum, a, b);
}

#include "ukr_bytes_avx512.h"
#include "ukr_dot.h"
#include "ukr_dot_in_place.h"

const struct ukr ukr_u8s8_9x48_avx512vnni = {
    .name = "u8s8_9x48_avx512vnni",
    .type = "u8s8",
    .isa = "avx512vnni",
    .mr = MR,
    .nr = NR,
    .mc = 144,
    .kc = 2048,
    .nc = 2016,
    .run = packed,
    .run_rows = rows,
    .run_in_place = in_place,
    .run_short_dots = dots,
};
