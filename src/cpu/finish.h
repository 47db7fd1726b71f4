/* finish.h: the epilogue of a product: bias and activation. SPDX-License-Identifier: MIT */
#ifndef CPU_FINISH_H
#define CPU_FINISH_H

#include <stdint.h>

struct gr_product;

/* Applies the epilogue to rows i..i+m-1 and columns j..j+n-1 of C, whose complete sums are in
 * `tile`, of the type of sums and with leading dimension ld. */
typedef void gr_finish_fn(const struct gr_product *product, void *tile, int64_t ld, int64_t i,
                          int64_t m, int64_t j, int64_t n);

/* Uses the vectors of the compiler's baseline. Other instruction sets (cpu/isa.h) have their
 * own. */
gr_finish_fn gr_finish_portable;

#endif
