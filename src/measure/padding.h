/* padding.h: makes leading dimensions larger than the rows, as far as a kernel supports them.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PADDING_H
#define MEASURE_PADDING_H

#include "catalog/variant.h"

/* The largest unit for which gr_padding_of increases a leading dimension. */
enum { GR_PADDING_UNIT_MOST = 256 };

/* A copy of the (dense) `problem` in which each leading dimension that the kernel has (variant
 * null: each) is increased by a different multiple of `unit`, or of the next power of 2 that its
 * `require` allows. False: it allows none. */
bool gr_padding_of(const struct gr_variant *variant, const struct gr_problem *problem, int64_t unit,
                   struct gr_problem *padded);

/* The leading dimensions that are parameters of the kernel but for which its `require` allows
 * only dense rows: "lda, ldb", or "". They have the kernel's own names. */
void gr_padding_excluded(const struct gr_variant *variant, const struct gr_problem *problem,
                         char names[24]);

#endif
