/* leading.h: does a kernel use its leading dimensions? SPDX-License-Identifier: MIT */
#ifndef MEASURE_LEADING_H
#define MEASURE_LEADING_H

#include "measure/search.h"

/* A product at the size asked for, its rows further apart than they are long as far as the kernel's
 * `require` allows. A kernel that is wrong then and right with dense rows is wrong, but where
 * longer steps (lda%4==0) are right: then a `require` is proposed. *tried: such a product was run
 * with these alpha and beta. Where the `require` admits none, though the kernel has the parameters,
 * a note says so. */
enum gradus_status gr_verify_leading(struct gr_search *search, struct gr_scales scales, bool *tried,
                                     struct gradus_error *error);

/* The smallest power of 2 such that the kernel is right at the shape of `problem` (dense) with
 * leading dimensions that are multiples of it; 0: none. */
enum gradus_status gr_leading_unit(struct gr_search *search, const struct gr_problem *problem,
                                   struct gr_scales scales, int64_t *unit,
                                   struct gradus_error *error);

/* "lda%4==0 && ldb%4==0 && ldc%4==0", of those that the kernel takes. */
void gr_leading_require(const struct gr_variant *variant, const struct gr_problem *problem,
                        int64_t unit, char text[64]);

#endif
