/* isa_avx2.c: AVX2 with FMA: 16 registers of 32 bytes. SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     20
//@ flags    -mavx2 -mfma
//@ vectors  16 x 32
//@ words    avx2, avx, fma, f16c
#include "cpu/finish_rows.h"
#include "cpu/isa.h"

static gr_finish_fn finish;
DEFINE_FINISH_ALL(finish)

static const struct gr_isa_functions functions = {
    .pack_f32 = gr_pack_f32_avx2,
    .pack_f64 = gr_pack_f64_avx2,
    .pack_bf16 = gr_pack_bf16_avx2,
    .pack_short = &gr_short_packing_portable,
    .transpose_f32 = gr_transpose_f32_avx2,
    .transpose_f64 = gr_transpose_f64_avx2,
    .finish = finish,
};

extern const struct gr_isa gr_isa_portable;
const struct gr_isa gr_isa_avx2 = {
    .name = "avx2",
    .over = &gr_isa_portable,
    .needs = GR_CPU_BIT(AVX) | GR_CPU_BIT(FMA) | GR_CPU_BIT(AVX2),
    .functions = &functions,
};
