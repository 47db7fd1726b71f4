/* device_launch.h: queues the launches of a plan on a stream. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_LAUNCH_H
#define DEVICE_DEVICE_LAUNCH_H

#include "device/device_gpu.h"

/* The size in bytes of a workspace that holds all `work` buffers of the plan. */
int64_t gr_device_work_bytes(const struct gr_device_kernel *kernel,
                             const struct gr_device_plan *plan);

/* The addresses of the `work` buffers. */
struct gr_device_works {
    uint64_t at[GR_DEVICE_WORKS];
};

/* Places the buffers one after another in a workspace of gr_device_work_bytes bytes. */
struct gr_device_works gr_device_works_in(const struct gr_device_kernel *kernel,
                                          const struct gr_device_plan *plan, uint64_t workspace);

/* Queues the launches of a plan. The GPU's context must be current. `workspace` is the address of
 * gr_device_work_bytes bytes of its memory. UNSUPPORTED: the product is too large for the kernel,
 * or the driver is too old for it. */
enum gradus_status gr_device_launch_all(const struct gr_device_gpu *gpu,
                                        const struct gr_device_kernel *kernel,
                                        struct gr_device_loaded *loaded,
                                        const struct gr_device_given *given,
                                        const struct gr_device_plan *plan, uint64_t workspace,
                                        void *stream, struct gradus_error *error);

/* The same, with the `work` buffers at any addresses. */
enum gradus_status
gr_device_launch_at(const struct gr_device_gpu *gpu, const struct gr_device_kernel *kernel,
                    struct gr_device_loaded *loaded, const struct gr_device_given *given,
                    const struct gr_device_plan *plan, const struct gr_device_works *works,
                    void *stream, struct gradus_error *error);

#endif
