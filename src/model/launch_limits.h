/* launch_limits.h: checks whether a GPU would accept a launch. SPDX-License-Identifier: MIT */
#ifndef MODEL_LAUNCH_LIMITS_H
#define MODEL_LAUNCH_LIMITS_H

#include "records/plan.h"
#include "model/device.h"

/* The resources that a compiled kernel needs; 0: not known, or none. */
struct gr_launch_code {
    int64_t max_threads; /* the maximum for a block, from __launch_bounds__ */
    int64_t registers;   /* per thread */
    int64_t smem_bytes;  /* static shared memory */
    int64_t wave;        /* AMD: the work-items of a wavefront */
    bool wgp;            /* AMD: a workgroup runs on both compute units of a workgroup processor */
    int64_t stack_bytes; /* local memory per thread: spilled registers, and arrays */
};

/* LAUNCH: the device refuses the launch. The text of the error is "NAME: what was found, what is
 * wanted, what to do". Limits that are unknown (0) are not checked. */
enum gradus_status gr_launch_admits(const struct gr_device *device, const char *name,
                                    const struct gr_plan_launch *launch,
                                    const struct gr_launch_code *code, struct gradus_error *error);

#endif
