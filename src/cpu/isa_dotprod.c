/* isa_dotprod.c: NEON with dot products of four bytes. SPDX-License-Identifier: MIT */
//@ cpu      aarch64
//@ rank     30
//@ flags    -march=armv8.2-a+dotprod
//@ words    dotprod
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_neon;
const struct gr_isa gr_isa_dotprod = {
    .name = "dotprod",
    .extends = &gr_isa_neon,
    .needs = GR_CPU_BIT(ASIMDDP),
};
