/* turn.h: transposing a small operand into a panel. SPDX-License-Identifier: MIT */
#ifndef CPU_TURN_H
#define CPU_TURN_H

#include <stdint.h>

/* panel[p*width + i] = source[i*stride + p]        0 <= i < width, 0 <= p < depth
 *
 * width is `lanes` rounded up to whole vectors of 64 bytes; lanes from `lanes` on are copies of the
 * last. In AVX-512 (x86-64 only). */
void gr_turn_f32_avx512(float *panel, const float *source, int64_t lanes, int64_t depth,
                        int64_t stride);
void gr_turn_f64_avx512(double *panel, const double *source, int64_t lanes, int64_t depth,
                        int64_t stride);

#endif
