/* narrow_sums.h: detects sums in a type that is too narrow, so that a wrong result is reported with
 * its cause. SPDX-License-Identifier: MIT */
#ifndef CHECK_NARROW_SUMS_H
#define CHECK_NARROW_SUMS_H

#include "check/judge.h"

/* Adds a finding if the tally's wrong elements have the values that an accumulator of a narrower
 * type than the declared one produces (that of f16 begins as check/sum_in_f16.h says). */
void gr_find_narrow_sums(const struct gr_tally *tally, struct gr_findings *findings);

#endif
