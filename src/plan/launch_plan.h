/* launch_plan.h: makes the launch plan of a kernel from its front matter, so that the worker has
 * no expressions to evaluate. SPDX-License-Identifier: MIT */
#ifndef PLAN_LAUNCH_PLAN_H
#define PLAN_LAUNCH_PLAN_H

#include "catalog/variant.h"
#include "records/plan.h"

/* Evaluates grid, block, smem and cluster of each stanza and the boxes of the tensor maps, and
 * determines how each parameter is stored. LAUNCH if a GPU would refuse the launch ("grid y is
 * 70000, wanted 1 to 65535"); INVALID if an expression has no value or the type of a parameter
 * is unknown. */
enum gradus_status gr_plan_launches(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_device_values *device_values,
                                    struct gr_plan *plan, struct gradus_error *error);

/* Sets the part of the plan that says what of C is set to zero before each GEMM; a backend without
 * launches needs no other part. */
void gr_plan_zero_c(const struct gr_kernel *kernel, const struct gr_problem *problem,
                    struct gr_plan *plan);

#endif
