/* padding.h: leading dimensions longer than the rows, as far as a kernel takes them.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PADDING_H
#define MEASURE_PADDING_H

#include "catalog/variant.h"

/* The longest step in which gr_padding_of lengthens a leading dimension. */
enum { GR_PADDING_UNIT_MOST = 256 };

/* A copy of `problem` (dense) with each leading dimension that the kernel takes (variant null:
 * each) made longer, by different amounts: multiples of `unit`, or of the next power of 2 that its
 * `require` admits. False: it admits none. */
bool gr_padding_of(const struct gr_variant *variant, const struct gr_problem *problem, int64_t unit,
                   struct gr_problem *padded);

/* The leading dimensions that the kernel has a parameter for, and that its `require` admits for
 * dense rows only: "lda, ldb"; "" where there is none. By the kernel's own names. */
void gr_padding_excluded(const struct gr_variant *variant, const struct gr_problem *problem,
                         char names[24]);

#endif
