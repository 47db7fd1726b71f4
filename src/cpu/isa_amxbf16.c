/* isa_amxbf16.c: AVX-512 with AMX tiles of bfloat16. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     80
//@ flags    -mamx-tile -mamx-bf16
//@ words    amx_tile, amx_bf16
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx512;
const struct gr_isa gr_isa_amxbf16 = {
    .name = "amxbf16",
    .extends = &gr_isa_avx512,
    .needs = GR_CPU_BIT(AMX_TILE) | GR_CPU_BIT(AMX_BF16),
};
