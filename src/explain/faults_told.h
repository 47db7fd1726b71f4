/* faults_told.h: the faults that the simulator saw, in plain words. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_FAULTS_TOLD_H
#define EXPLAIN_FAULTS_TOLD_H

#include "explain/analysis.h"

/* Appends a finding for each fault of the specimen's trace; nothing where there is no trace. */
void gr_faults_tell(const struct gr_specimen *specimen, struct gr_findings *findings);
/* Appends a finding where the launches leave elements of C as they were: none are written, or where
 * every block was traced, not all of them. */
void gr_unwritten_tell(const struct gr_variant *variant, const struct gr_problem *problem,
                       const struct gr_trace *traces, int count, struct gr_findings *findings);

#endif
