/* isa_neon.c: NEON, which every AArch64 CPU has: 32 registers of 16 bytes.
 * SPDX-License-Identifier: MIT */
//@ cpu      aarch64
//@ rank     20
//@ tune     -fno-schedule-insns
//@ vectors  32 x 16
//@ words    neon, sve, sve2, i8mm
#include "cpu/isa.h"

/* NEON is in the compiler's baseline, so the portable functions use it already. Its micro-panels
 * have other widths, so it packs with functions of its own. */
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
