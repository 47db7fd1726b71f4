/* isa_amxint8.c: AVX-512 with AMX tiles of bytes. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     90
//@ flags    -mamx-tile -mamx-int8
//@ words    amx_int8
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx512;
const struct gr_isa gr_isa_amxint8 = {
    .name = "amxint8",
    .extends = &gr_isa_avx512,
    .needs = GR_CPU_BIT(AMX_TILE) | GR_CPU_BIT(AMX_INT8),
};
