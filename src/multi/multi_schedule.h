/* multi_schedule.h: chooses the number of tiles that takes the least time, for operands that are
 * distributed over the GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_SCHEDULE_H
#define MULTI_MULTI_SCHEDULE_H

#include "multi/multi_plan.h"

/* Sets the steps and passes of a plan, for its grid, and the times that the model expects of
 * them. */
void gr_multi_schedule(const struct gr_multi_gemm *gemm, int64_t ranks,
                       const struct gr_multi_rates *rates, struct gr_multi_plan *plan);

#endif
