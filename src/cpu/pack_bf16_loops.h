/* pack_bf16_loops.h: the loops that pack bfloat16 as float, compiled once for each instruction
 * set. SPDX-License-Identifier: MIT
 *
 * Contiguous lanes are converted straight into the panel. Lanes that are not contiguous are first
 * converted to floats on the stack, some steps at a time, and those are packed like any floats. */
#ifndef CPU_PACK_BF16_LOOPS_H
#define CPU_PACK_BF16_LOOPS_H

#include "cpu/bf16.h"
#include "cpu/pack.h"
#include "cpu/pack_bf16.h"

/* The number of floats that are converted at a time on the stack: a few whole vectors for each
 * lane. */
enum { MOST_FLOATS = 512, VECTOR = 8, STEPS_AHEAD = 8 };

static inline void convert(float *to, const uint16_t *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = gr_bf16_to_f32(from[i]);
}

static void side_by_side(float *panel, const uint16_t *source, int64_t lanes, int64_t depth,
                         int64_t width, int64_t step_stride)
{
    for (int64_t p = 0; p < depth; p++, panel += width, source += step_stride) {
        __builtin_prefetch(source + STEPS_AHEAD * step_stride);
        __builtin_prefetch(source + STEPS_AHEAD * step_stride + lanes - 1);
        convert(panel, source, lanes);
        for (int64_t i = lanes; i < width; i++)
            panel[i] = panel[lanes - 1];
    }
}

static void apart(float *panel, const uint16_t *source, int64_t lanes, int64_t depth, int64_t width,
                  int64_t lane_stride, gr_pack_f32_fn *pack)
{
    float rows[MOST_FLOATS];
    const int64_t most = MOST_FLOATS / width / VECTOR * VECTOR;
    for (int64_t p = 0; p < depth; p += most) {
        const int64_t steps = depth - p < most ? depth - p : most;
        for (int64_t i = 0; i < lanes; i++)
            convert(rows + i * most, source + i * lane_stride + p, steps);
        pack(panel + p * width, rows, lanes, steps, width, most, 1);
    }
}

static inline void pack_bf16(float *panels, const uint16_t *source, int64_t lanes, int64_t depth,
                             int64_t width, int64_t lane_stride, int64_t step_stride,
                             gr_pack_f32_fn *pack)
{
    for (int64_t first = 0; first < lanes; first += width, panels += depth * width) {
        const int64_t here = lanes - first < width ? lanes - first : width;
        if (lane_stride == 1)
            side_by_side(panels, source + first, here, depth, width, step_stride);
        else
            apart(panels, source + first * lane_stride, here, depth, width, lane_stride, pack);
    }
}

#endif
