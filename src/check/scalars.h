/* scalars.h: was alpha or beta taken for another number? SPDX-License-Identifier: MIT */
#ifndef CHECK_SCALARS_H
#define CHECK_SCALARS_H

#include "check/judge.h"

/* Adds a finding where C is what other values of alpha and beta give: alpha without its sign, beta
 * 1 for 0, alpha over the old C as well. An alpha or beta that is ignored is gr_find_mixup's to
 * tell, and a C that is as it was unwritten. */
void gr_find_scalars(const struct gr_tally *tally, struct gr_findings *findings);

#endif
