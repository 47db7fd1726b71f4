/* format_faults.h: describes the faults that the simulator found, as findings with a sentence
 * each. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_FORMAT_FAULTS_H
#define EXPLAIN_FORMAT_FAULTS_H

#include "explain/analysis.h"

/* Appends a finding for each fault of the stanza's trace; nothing if there is no trace. */
void gr_faults_format(const struct gr_analysis_input *input, struct gr_findings *findings);
/* Appends a finding if the launches leave elements of C unwritten: all of them or, if every
 * block was traced, some. */
void gr_unwritten_format(const struct gr_variant *variant, const struct gr_problem *problem,
                         const struct gr_trace *traces, int count, struct gr_findings *findings);

#endif
