/* pack_bf16_neon.c: packing bfloat16 as float, for the micro-panels of NEON.
 * SPDX-License-Identifier: MIT */
#include "cpu/pack_bf16.h"
#include "cpu/pack_bf16_loops.h"

void gr_pack_bf16_neon(float *panels, const uint16_t *source, int64_t lanes, int64_t depth,
                       int64_t width, int64_t lane_stride, int64_t step_stride)
{
    pack_bf16(panels, source, lanes, depth, width, lane_stride, step_stride, gr_pack_f32_neon);
}
