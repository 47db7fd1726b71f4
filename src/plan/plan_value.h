/* plan_value.h: stores the value of a kernel's parameter in the form in which the kernel
 * receives it. SPDX-License-Identifier: MIT */
#ifndef PLAN_PLAN_VALUE_H
#define PLAN_PLAN_VALUE_H

#include "records/launch.h"
#include "records/plan.h"

union gr_plan_value {
    int8_t int8;
    int16_t int16;
    int32_t int32;
    int64_t int64;
    uint16_t half;
    float f32;
    double f64;
    uint64_t address;
};

/* For any parameter except a tensor map. */
void gr_plan_value(const struct gr_plan_parameter *parameter, const struct gr_launch *launch,
                   const struct gr_scratch *scratch, union gr_plan_value *value);

#endif
