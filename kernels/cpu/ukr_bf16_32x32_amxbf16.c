/* ukr_bf16_32x32_amxbf16.c: bfloat16 in the tile registers of AMX, with sums in float (tdpbf16ps).
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_f32_avx512.h"

enum { BYTES = 2 };
#define tile_dot _tile_dpbf16ps

#include "ukr_amx.h"

const struct ukr ukr_bf16_32x32_amxbf16 = {
    .name = "bf16_32x32_amxbf16",
    .type = "bf16",
    .isa = "amxbf16",
    .mr = MR,
    .nr = NR,
    .mc = 256,
    .kc = 512,
    .nc = 2048,
    .run = packed,
    .run_rows = rows,
    .begin = begin,
    .end = end,
};
