/* diagnose.h: what a wrong C looks like. SPDX-License-Identifier: MIT */
#ifndef CHECK_DIAGNOSE_H
#define CHECK_DIAGNOSE_H

#include "check/judge.h"

/* Adds to `findings` what explains the tally's wrong elements, most telling first, the worst
 * element last. */
void gr_diagnose(const struct gr_tally *tally, const void *untouched, struct gr_findings *findings);

#endif
