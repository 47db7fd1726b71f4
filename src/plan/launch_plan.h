/* launch_plan.h: from the front matter to launches. SPDX-License-Identifier: MIT */
#ifndef PLAN_LAUNCH_PLAN_H
#define PLAN_LAUNCH_PLAN_H

#include "catalog/variant.h"
#include "records/plan.h"

/* Evaluates grid, block, smem and cluster of each stanza and the boxes of the tensor maps, and
 * finds what each parameter is in memory. LAUNCH where a GPU refuses a launch ("grid y is 70000,
 * wanted 1 to 65535"); INVALID where a line has no value, or a parameter's type is not known. */
enum gradus_status gr_plan_launches(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_givens *givens, struct gr_plan *plan,
                                    struct gradus_error *error);

#endif
