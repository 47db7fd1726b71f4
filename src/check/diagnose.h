/* diagnose.h: diagnoses a wrong C. SPDX-License-Identifier: MIT */
#ifndef CHECK_DIAGNOSE_H
#define CHECK_DIAGNOSE_H

#include "check/judge.h"

/* Adds the findings that explain the tally's wrong elements, the most specific first and the
 * worst element last. */
void gr_diagnose(const struct gr_tally *tally, const void *untouched, struct gr_findings *findings);

#endif
