/* driver_f64.c: products of double. SPDX-License-Identifier: MIT */
#include "core/dtype.h"
#include "cpu/gemm.h"

static bool prepare(struct gr_product *product, const char *isa)
{
    return gr_gemm_prepare_float(product, GR_F64, isa);
}

const struct gr_driver gr_driver_f64 = {
    .a_types = 1u << GRADUS_F64,
    .b_types = 1u << GRADUS_F64,
    .c_types = 1u << GRADUS_F64,
    .sum_types = 1u << GRADUS_F64,
    .prepare = prepare,
    .threads_worth = gr_gemm_threads_worth,
    .run_small = gr_gemm_small,
    .run = gr_gemm_float,
    .workspace_bytes = gr_gemm_float_bytes,
    .pack_whole = gr_gemm_pack_whole,
    .describe = gr_gemm_describe,
};
