/* multi_schedule.h: how many tiles take the least time, of operands that lie on the GPUs.
 * SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_SCHEDULE_H
#define MULTI_MULTI_SCHEDULE_H

#include "multi/multi_plan.h"

/* For the plan's grid: its steps and passes, and what the model foretells of them. */
void gr_multi_schedule(const struct gr_multi_gemm *gemm, int64_t ranks,
                       const struct gr_multi_rates *rates, struct gr_multi_plan *plan);

#endif
