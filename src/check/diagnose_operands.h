/* diagnose_operands.h: detects swapped or transposed operands, so that a wrong result is reported
 * with its likely cause. SPDX-License-Identifier: MIT */
#ifndef CHECK_DIAGNOSE_OPERANDS_H
#define CHECK_DIAGNOSE_OPERANDS_H

#include "check/judge.h"

/* Adds a finding if C is another combination of the same operands: transposed, with A and B
 * swapped, with one of them used transposed, or with alpha or beta ignored. */
void gr_diagnose_operands(const struct gr_tally *tally, struct gr_findings *findings);

#endif
