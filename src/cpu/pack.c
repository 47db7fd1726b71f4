/* pack.c: copying blocks of A and B into panels. SPDX-License-Identifier: MIT
 *
 * Two cases. Lanes that lie side by side are copied step by step. Lanes that lie apart are
 * transposed in square blocks that stay in registers: reading single elements from many rows would
 * be as slow as the loads. */
#include "cpu/pack.h"

#include <string.h>

typedef float v4f32 __attribute__((vector_size(16)));
typedef double v2f64 __attribute__((vector_size(16)));

enum { SIDE_F32 = 4, SIDE_F64 = 2 };

/* panel[p*width + i] = source[i*stride + p] for a square at the top left. */
static inline void transpose_f32(float *panel, int64_t width, const float *source, int64_t stride)
{
    v4f32 r0, r1, r2, r3;
    memcpy(&r0, source, sizeof r0);
    memcpy(&r1, source + stride, sizeof r1);
    memcpy(&r2, source + 2 * stride, sizeof r2);
    memcpy(&r3, source + 3 * stride, sizeof r3);
    const v4f32 a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const v4f32 b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const v4f32 c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const v4f32 d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    r0 = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r1 = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r2 = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r3 = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    memcpy(panel, &r0, sizeof r0);
    memcpy(panel + width, &r1, sizeof r1);
    memcpy(panel + 2 * width, &r2, sizeof r2);
    memcpy(panel + 3 * width, &r3, sizeof r3);
}

static inline void transpose_f64(double *panel, int64_t width, const double *source, int64_t stride)
{
    v2f64 r0, r1;
    memcpy(&r0, source, sizeof r0);
    memcpy(&r1, source + stride, sizeof r1);
    const v2f64 a = __builtin_shufflevector(r0, r1, 0, 2);
    const v2f64 b = __builtin_shufflevector(r0, r1, 1, 3);
    memcpy(panel, &a, sizeof a);
    memcpy(panel + width, &b, sizeof b);
}

/* The same text for both types: T, its square's side, and its transpose. */
#define DEFINE_PACK(T, name, SIDE)                                                                 \
    static void copy_panel_##name(T *panel, const T *source, int64_t lanes, int64_t depth,         \
                                  int64_t width, int64_t step_stride)                              \
    {                                                                                              \
        for (int64_t p = 0; p < depth; p++, panel += width, source += step_stride) {               \
            for (int64_t i = 0; i < lanes; i++)                                                    \
                panel[i] = source[i];                                                              \
            for (int64_t i = lanes; i < width; i++)                                                \
                panel[i] = source[lanes - 1];                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void turn_panel_##name(T *panel, const T *source, int64_t lanes, int64_t depth,         \
                                  int64_t width, int64_t lane_stride)                              \
    {                                                                                              \
        const int64_t whole_lanes = lanes - lanes % SIDE, whole_depth = depth - depth % SIDE;      \
        for (int64_t p = 0; p < whole_depth; p += SIDE)                                            \
            for (int64_t i = 0; i < whole_lanes; i += SIDE)                                        \
                transpose_##name(panel + p * width + i, width, source + i * lane_stride + p,       \
                                 lane_stride);                                                     \
        for (int64_t p = 0; p < depth; p++)                                                        \
            for (int64_t i = p < whole_depth ? whole_lanes : 0; i < width; i++)                    \
                panel[p * width + i] = source[(i < lanes ? i : lanes - 1) * lane_stride + p];      \
    }                                                                                              \
                                                                                                   \
    void gr_pack_##name(T *panels, const T *source, int64_t lanes, int64_t depth, int64_t width,   \
                        int64_t lane_stride, int64_t step_stride)                                  \
    {                                                                                              \
        for (int64_t first = 0; first < lanes; first += width, panels += depth * width) {          \
            const int64_t here = lanes - first < width ? lanes - first : width;                    \
            const T *from = source + first * lane_stride;                                          \
            if (lane_stride == 1)                                                                  \
                copy_panel_##name(panels, from, here, depth, width, step_stride);                  \
            else                                                                                   \
                turn_panel_##name(panels, from, here, depth, width, lane_stride);                  \
        }                                                                                          \
    }

DEFINE_PACK(float, f32, SIDE_F32)
DEFINE_PACK(double, f64, SIDE_F64)
