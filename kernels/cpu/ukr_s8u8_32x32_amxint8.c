/* ukr_s8u8_32x32_amxint8.c: signed times unsigned bytes in the tile registers of AMX (tdpbsud).
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include "ukr_s32_avx512.h"

enum { BYTES = 1 };
#define tile_dot _tile_dpbsud

#include "ukr_amx.h"

const struct ukr ukr_s8u8_32x32_amxint8 = {
    .name = "s8u8_32x32_amxint8",
    .type = "s8u8",
    .isa = "amxint8",
    .mr = MR,
    .nr = NR,
    .mc = 256,
    .kc = 1024,
    .nc = 2048,
    .run = packed,
    .run_rows = rows,
    .begin = begin,
    .end = end,
};
