/* amd_occupancy.h: the number of workgroups that are resident on an AMD GPU, derived step by step
 * in AMD's terms. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_AMD_OCCUPANCY_H
#define EXPLAIN_AMD_OCCUPANCY_H

#include "explain/analysis.h"

/* `kernel` and `launch` of the input must not be null. */
void gr_amd_occupancy_explain(const struct gr_analysis_input *input, const struct gr_occupancy *o,
                              struct gr_section *section);

#endif
