/* isa_avxvnni.c: AVX2 with dot products of four bytes. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     30
//@ flags    -mavxvnni
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx2;
const struct gr_isa gr_isa_avxvnni = {
    .name = "avxvnni",
    .extends = &gr_isa_avx2,
    .needs = GR_CPU_BIT(AVX_VNNI),
};
