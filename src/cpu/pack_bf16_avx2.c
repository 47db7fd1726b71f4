/* pack_bf16_avx2.c: packing bfloat16 as float, in vectors of 32 bytes.
 * SPDX-License-Identifier: MIT */
#include "cpu/pack_bf16.h"
#include "cpu/pack_bf16_loops.h"

void gr_pack_bf16_avx2(float *panels, const uint16_t *source, int64_t lanes, int64_t depth,
                       int64_t width, int64_t lane_stride, int64_t step_stride)
{
    pack_bf16(panels, source, lanes, depth, width, lane_stride, step_stride, gr_pack_f32_avx2);
}
