/* transpose.h: transposing a small operand into a panel. SPDX-License-Identifier: MIT */
#ifndef CPU_TRANSPOSE_H
#define CPU_TRANSPOSE_H

#include <stdint.h>

/* Sets
 *
 *     panel[p*width + i] = source[i*stride + p]        0 <= i < width, 0 <= p < depth
 *
 * width is `lanes` rounded up to whole vectors of the instruction set; lanes from `lanes` on are
 * copies of the last one. */
typedef void gr_transpose_f32_fn(float *panel, const float *source, int64_t lanes, int64_t depth,
                                 int64_t stride);
typedef void gr_transpose_f64_fn(double *panel, const double *source, int64_t lanes, int64_t depth,
                                 int64_t stride);

/* The versions of the instruction sets (cpu/isa.h). */
gr_transpose_f32_fn gr_transpose_f32_avx512;
gr_transpose_f64_fn gr_transpose_f64_avx512;
gr_transpose_f32_fn gr_transpose_f32_avx2;
gr_transpose_f64_fn gr_transpose_f64_avx2;

#endif
