/* scalars.h: detects wrong values of alpha or beta. SPDX-License-Identifier: MIT */
#ifndef CHECK_SCALARS_H
#define CHECK_SCALARS_H

#include "check/judge.h"

/* Adds a finding if C results from other values of alpha and beta: alpha with the wrong sign,
 * beta 1 instead of 0, or alpha applied to the old C as well. An ignored alpha or beta is
 * reported by gr_diagnose_operands, and an unchanged C is reported as unwritten. */
void gr_find_scalars(const struct gr_tally *tally, struct gr_findings *findings);

#endif
