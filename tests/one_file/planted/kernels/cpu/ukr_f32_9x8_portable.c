/* ukr_f32_9x8_portable.c: a micro-kernel that is added by the test of "one file": the functions and
 * the tile of another one, which is preferred to it. SPDX-License-Identifier: MIT */
#define ukr_f32_4x8_portable planted_other
#include "ukr_f32_4x8_portable.c"
#undef ukr_f32_4x8_portable

const struct ukr ukr_f32_9x8_portable = {
    .name = "f32_9x8_portable",
    .type = "f32",
    .isa = "portable",
    .preference = 99,
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 128,
    .kc = 256,
    .nc = 2048,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
