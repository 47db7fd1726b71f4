/* scale_pairs.h: the values of alpha and beta that a kernel is tried with. SPDX-License-Identifier:
 * MIT */
#ifndef MEASURE_SCALE_PAIRS_H
#define MEASURE_SCALE_PAIRS_H

#include "catalog/variant.h"
#include "measure/trial.h"

enum { GR_SCALE_PAIRS = 24 };

/* Those that the kernel's signature and `require` admit at the shape of `problem` (variant null:
 * all): alpha and beta of 0, 1, below 0 and neither, each with each. The first, where both are
 * free, is gr_scales_telling's; (1, 0) is always among them. Returns how many. */
int gr_scale_pairs(const struct gr_variant *variant, const struct gr_problem *problem,
                   struct gr_scales list[GR_SCALE_PAIRS]);

/* The i-th in turn of those whose beta is 0 (or is not); false: there is none. */
bool gr_scale_pair_in_turn(const struct gr_scales *list, int count, bool beta_zero, int i,
                           struct gr_scales *scales);

#endif
