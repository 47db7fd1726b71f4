/* precision.h: detects inputs that were rounded to a lower precision before they were
 * multiplied. Such errors may be within the bound of a long sum, and yet the kernel computes
 * another function than it claims. SPDX-License-Identifier: MIT */
#ifndef CHECK_PRECISION_H
#define CHECK_PRECISION_H

#include "check/judge.h"

/* Adds a finding with the precision if the errors of C are those that result from rounding A, B
 * or both to fewer bits (docs/verifying.md), however large the errors are. Sums in the type's
 * own arithmetic and split operands (such as 3xTF32) are never reported. */
bool gr_find_rounded(const struct gr_tally *tally, struct gr_findings *findings);

#endif
