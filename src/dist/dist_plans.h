/* dist_plans.h: plans that are not made again for each product. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_PLANS_H
#define DIST_DIST_PLANS_H

#include "dist/dist_plan.h"

/* gr_dist_plan, of which each thread keeps the last plans that it asked for: a search over the
 * grids of a thousand ranks takes a millisecond, over those of 65536 a fifth of a second, and
 * a program mostly multiplies the same shapes again. */
enum { GR_DIST_PLANS = 8 };
enum gradus_status gr_dist_plan_again(const struct gr_dist_problem *problem,
                                      const struct gr_dist_machine *machine,
                                      struct gr_dist_plan *plan, struct gradus_error *error);

#endif
