/* narrow.h: a sum that was kept in a type too narrow for it. SPDX-License-Identifier: MIT */
#ifndef CHECK_NARROW_H
#define CHECK_NARROW_H

#include "check/judge.h"

/* Adds a finding where the tally's wrong elements are what an accumulator of a narrower type than
 * the kernel claims gives. */
void gr_find_narrow(const struct gr_tally *tally, struct gr_findings *findings);

#endif
