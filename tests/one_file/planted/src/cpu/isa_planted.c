/* isa_planted.c: an instruction set that is added by the test of "one file".
 * SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     35
//@ flags    -mavx2
//@ words    planted
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx2;
const struct gr_isa gr_isa_planted = {
    .name = "planted",
    .extends = &gr_isa_avx2,
    .needs = GR_CPU_BIT(AVX2),
};
