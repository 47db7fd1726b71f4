/* leading.h: checks whether a kernel uses its leading dimensions. A kernel that uses the length
 * of a row instead is correct with dense matrices only. SPDX-License-Identifier: MIT */
#ifndef MEASURE_LEADING_H
#define MEASURE_LEADING_H

#include "measure/search.h"

/* Runs one GEMM at the requested size with leading dimensions larger than the rows, as far as
 * the kernel's `require` allows. A kernel that fails there but is correct with dense rows is
 * wrong, unless it is correct with leading dimensions that are multiples of a larger number
 * (lda%4==0); then a `require` is proposed. *tried: such a GEMM was run with this alpha and
 * beta. If the `require` allows only dense rows although the kernel has the parameters, a note
 * says so. */
enum gradus_status gr_verify_leading(struct gr_search *search, struct gr_scales scales, bool *tried,
                                     struct gradus_error *error);

/* The smallest power of 2 such that the kernel is correct at the (dense) shape of `problem` with
 * leading dimensions that are multiples of it; 0: none. */
enum gradus_status gr_leading_unit(struct gr_search *search, const struct gr_problem *problem,
                                   struct gr_scales scales, int64_t *unit,
                                   struct gradus_error *error);

/* "lda%4==0 && ldb%4==0 && ldc%4==0", with those that the kernel has. */
void gr_leading_require(const struct gr_variant *variant, const struct gr_problem *problem,
                        int64_t unit, char text[64]);

#endif
