/* timeline.h: prints what each rank did during a product. SPDX-License-Identifier: MIT */
#ifndef CLI_TIMELINE_H
#define CLI_TIMELINE_H

#include "dist/dist_plan.h"
#include "dist/dist_timeline.h"

#include <stdbool.h>

/* Prints a line for each rank that the plan uses, and the plan's prediction for the rank with the
 * most work. */
void gr_timeline_print(const struct gr_dist_plan *plan, const struct gr_dist_timeline *timelines,
                       bool json);

#endif
