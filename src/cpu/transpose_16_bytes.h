/* transpose_16_bytes.h: transposes squares of elements in vectors of 16 bytes, for packing on any
 * CPU. SPDX-License-Identifier: MIT */
#ifndef CPU_TRANSPOSE_16_BYTES_H
#define CPU_TRANSPOSE_16_BYTES_H

#include <stdint.h>
#include <string.h>

typedef float v4f32 __attribute__((vector_size(16)));
typedef double v2f64 __attribute__((vector_size(16)));

/* panel[p*width + i] = source[i*stride + p] for 0 <= i, p < 4 (f64: 2). */
static inline __attribute__((always_inline)) void transpose_f32(float *panel, int64_t width,
                                                                const float *source, int64_t stride)
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

static inline __attribute__((always_inline)) void
transpose_f64(double *panel, int64_t width, const double *source, int64_t stride)
{
    v2f64 r0, r1;
    memcpy(&r0, source, sizeof r0);
    memcpy(&r1, source + stride, sizeof r1);
    const v2f64 a = __builtin_shufflevector(r0, r1, 0, 2);
    const v2f64 b = __builtin_shufflevector(r0, r1, 1, 3);
    memcpy(panel, &a, sizeof a);
    memcpy(panel + width, &b, sizeof b);
}

#endif
