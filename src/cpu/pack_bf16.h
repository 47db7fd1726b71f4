/* pack_bf16.h: packs bfloat16 as float, for micro-kernels of float. SPDX-License-Identifier: MIT */
#ifndef CPU_PACK_BF16_H
#define CPU_PACK_BF16_H

#include <stdint.h>

/* Packs like gr_pack_f32_fn (cpu/pack.h), and converts from bfloat16. */
typedef void gr_pack_bf16_fn(float *panels, const uint16_t *source, int64_t lanes, int64_t depth,
                             int64_t width, int64_t lane_stride, int64_t step_stride);

/* The versions of the instruction sets (cpu/isa.h). */
gr_pack_bf16_fn gr_pack_bf16_portable, gr_pack_bf16_avx2, gr_pack_bf16_neon;

#endif
