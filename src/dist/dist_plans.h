/* dist_plans.h: a cache of plans, so that they are not searched for each product.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_PLANS_H
#define DIST_DIST_PLANS_H

#include "dist/dist_plan.h"

/* Like gr_dist_plan, but each thread keeps the last plans that it has asked for: a search over the
 * grids of a thousand ranks takes a millisecond, over those of 65536 ranks a fifth of a second, and
 * programs mostly multiply the same shapes repeatedly. */
enum { GR_DIST_PLANS = 8 };
enum gradus_status gr_dist_plan_again(const struct gr_dist_problem *problem,
                                      const struct gr_dist_machine *machine,
                                      struct gr_dist_plan *plan, struct gradus_error *error);

#endif
