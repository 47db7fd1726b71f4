/* finish.h: the epilogue for each width of vectors. SPDX-License-Identifier: MIT */
#ifndef CPU_FINISH_H
#define CPU_FINISH_H

#include <stdint.h>

struct product;

/* As gr_gemm_finish. */
typedef void gr_finish_fn(const struct product *product, void *tile, int64_t ld, int64_t i,
                          int64_t m, int64_t j, int64_t n);

gr_finish_fn gr_finish_portable;
/* x86-64 only. */
gr_finish_fn gr_finish_avx2, gr_finish_avx512;

/* The one for an ISA level, or an extension of it. */
gr_finish_fn *gr_finish_for(const char *isa);

#endif
