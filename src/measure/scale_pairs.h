/* scale_pairs.h: the values of alpha and beta with which a kernel is tried.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SCALE_PAIRS_H
#define MEASURE_SCALE_PAIRS_H

#include "catalog/variant.h"
#include "measure/trial.h"

enum { GR_SCALE_PAIRS = 24 };

/* Makes the pairs that the kernel's signature and `require` allow at the shape of `problem`
 * (variant null: all): all combinations of 0, 1, a negative number and another number. If both
 * are free, the first pair is that of gr_scales_distinct; (1, 0) is always included. Returns
 * their number. */
int gr_scale_pairs(const struct gr_variant *variant, const struct gr_problem *problem,
                   struct gr_scales list[GR_SCALE_PAIRS]);

/* Cycles through the pairs whose beta is 0, or those whose beta is not, and returns the i-th;
 * false: there is none. */
bool gr_scale_pair_in_turn(const struct gr_scales *list, int count, bool beta_zero, int i,
                           struct gr_scales *scales);

#endif
