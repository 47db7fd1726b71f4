/* isa_avx512vnni.c: AVX-512 with dot products of four bytes. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     60
//@ flags    -mavx512vnni
//@ words    avx512vnni, avx512_vnni
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx512;
const struct gr_isa gr_isa_avx512vnni = {
    .name = "avx512vnni",
    .extends = &gr_isa_avx512,
    .needs = GR_CPU_BIT(AVX512_VNNI),
};
