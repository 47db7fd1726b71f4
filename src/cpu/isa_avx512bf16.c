/* isa_avx512bf16.c: AVX-512 with dot products of two bfloat16. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     70
//@ flags    -mavx512bf16
//@ words    avx512_bf16
#include "cpu/isa.h"

extern const struct gr_isa gr_isa_avx512;
const struct gr_isa gr_isa_avx512bf16 = {
    .name = "avx512bf16",
    .extends = &gr_isa_avx512,
    .needs = GR_CPU_BIT(AVX512_BF16),
};
