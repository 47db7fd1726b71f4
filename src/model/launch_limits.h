/* launch_limits.h: would the GPU take this launch? SPDX-License-Identifier: MIT */
#ifndef MODEL_LAUNCH_LIMITS_H
#define MODEL_LAUNCH_LIMITS_H

#include "records/plan.h"
#include "model/device.h"

/* What a compiled kernel asks for; 0: not known, or nothing. */
struct gr_launch_code {
    int64_t max_threads; /* of a block, as __launch_bounds__ says */
    int64_t registers;   /* a thread */
    int64_t smem_bytes;  /* static shared memory */
};

/* LAUNCH, where the device refuses the launch: "NAME: what was found, what is wanted, what to do".
 * What a device file or a driver does not tell (0) is not judged. */
enum gradus_status gr_launch_admits(const struct gr_device *device, const char *name,
                                    const struct gr_plan_launch *launch,
                                    const struct gr_launch_code *code, struct gradus_error *error);

#endif
