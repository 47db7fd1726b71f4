/* driver_f32.c: products of float. SPDX-License-Identifier: MIT */
#include "core/dtype.h"
#include "cpu/gemm.h"

static bool prepare(struct gr_product *product, const char *isa)
{
    return gr_gemm_prepare_float(product, GR_F32, isa);
}

const struct gr_driver gr_driver_f32 = {
    .a_types = 1u << GRADUS_F32,
    .b_types = 1u << GRADUS_F32,
    .c_types = 1u << GRADUS_F32,
    .sum_types = 1u << GRADUS_F32,
    .prepare = prepare,
    .threads_worth = gr_gemm_threads_worth,
    .run_small = gr_gemm_small,
    .run = gr_gemm_float,
    .workspace_bytes = gr_gemm_float_bytes,
    .pack_whole = gr_gemm_pack_whole,
    .describe = gr_gemm_describe,
};
