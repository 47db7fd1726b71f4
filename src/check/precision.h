/* precision.h: were the inputs rounded before they were multiplied? SPDX-License-Identifier: MIT */
#ifndef CHECK_PRECISION_H
#define CHECK_PRECISION_H

#include "check/judge.h"

/* Whether the errors of C are those that rounding A, B or both to fewer bits gives
 * (docs/verifying.md). Adds a finding with the precision that fits when they are, whatever the size
 * of the errors. A sum in the type's own arithmetic, or one of split operands, never is. */
bool gr_find_rounded(const struct gr_tally *tally, struct gr_findings *findings);

#endif
