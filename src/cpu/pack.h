/* pack.h: packing blocks of A and B into the micro-panels that a micro-kernel reads
 * (kernels/cpu/ukr.h). SPDX-License-Identifier: MIT */
#ifndef CPU_PACK_H
#define CPU_PACK_H

#include <stdint.h>

/* Packs `lanes` x `depth` elements into panels of `width` lanes, one after the other, each
 * depth*width elements:
 *
 *     panel[p*width + i] = source[i*lane_stride + p*step_stride]   0 <= i < width, 0 <= p < depth
 *
 * One of the strides is 1. Where the last panel has more lanes than there are, the last real lane
 * is repeated. For A, a lane is a row of op(A); for B, a column of op(B). */
typedef void gr_pack_f32_fn(float *panels, const float *source, int64_t lanes, int64_t depth,
                            int64_t width, int64_t lane_stride, int64_t step_stride);
typedef void gr_pack_f64_fn(double *panels, const double *source, int64_t lanes, int64_t depth,
                            int64_t width, int64_t lane_stride, int64_t step_stride);

/* The versions of the instruction sets (cpu/isa.h). */
gr_pack_f32_fn gr_pack_f32_portable, gr_pack_f32_avx2, gr_pack_f32_avx512, gr_pack_f32_neon;
gr_pack_f64_fn gr_pack_f64_portable, gr_pack_f64_avx2, gr_pack_f64_avx512, gr_pack_f64_neon;

#endif
