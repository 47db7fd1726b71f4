/* isa_neon.c: NEON, which every AArch64 CPU has: 32 registers of 16 bytes.
 * SPDX-License-Identifier: MIT */
//@ cpu      aarch64
//@ rank     20
//@ tune     -fno-schedule-insns
//@ vectors  32 x 16
//@ words    neon, sve, sve2, i8mm
#include "cpu/isa.h"

/* The compiler uses NEON for the portable functions already, because every AArch64 CPU has it. The
 * micro-panels of NEON have other widths, so they need packing functions of their own. */
static const struct gr_isa_functions functions = {
    .pack_f32 = gr_pack_f32_neon,
    .pack_f64 = gr_pack_f64_neon,
    .pack_bf16 = gr_pack_bf16_neon,
    .pack_short = &gr_short_packing_portable,
    .finish = gr_finish_portable,
};

extern const struct gr_isa gr_isa_portable;
const struct gr_isa gr_isa_neon = {
    .name = "neon",
    .over = &gr_isa_portable,
    .needs = GR_CPU_BIT(ASIMD),
    .functions = &functions,
};
