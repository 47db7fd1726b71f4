/* isa_avx512.c: AVX-512 with the extensions of Skylake-X: 32 registers of 64 bytes.
 * SPDX-License-Identifier: MIT */
//@ cpu      x86_64
//@ rank     50
//@ flags    -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512
//@ tune     -mprfchw
//@ vectors  32 x 64
//@ words    avx512, avx512f, avx512dq, avx512bw, avx512vl, avx512_fp16
#include "cpu/finish_rows.h"
#include "cpu/isa.h"

static gr_finish_fn finish;
DEFINE_FINISH_ALL(finish)

static const struct gr_isa_functions functions = {
    .pack_f32 = gr_pack_f32_avx512,
    .pack_f64 = gr_pack_f64_avx512,
    .pack_bf16 = gr_pack_bf16_avx2,
    .pack_short = &gr_short_packing_avx512,
    .transpose_f32 = gr_transpose_f32_avx512,
    .transpose_f64 = gr_transpose_f64_avx512,
    .finish = finish,
};

extern const struct gr_isa gr_isa_avx2;
const struct gr_isa gr_isa_avx512 = {
    .name = "avx512",
    .over = &gr_isa_avx2,
    .needs =
        GR_CPU_BIT(AVX512F) | GR_CPU_BIT(AVX512DQ) | GR_CPU_BIT(AVX512BW) | GR_CPU_BIT(AVX512VL),
    .functions = &functions,
};
