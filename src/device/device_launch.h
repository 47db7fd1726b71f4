/* device_launch.h: queues the launches of a plan. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_LAUNCH_H
#define DEVICE_DEVICE_LAUNCH_H

#include "device/device_gpu.h"

/* Bytes of a workspace that holds all `work` buffers. */
int64_t gr_device_work_bytes(const struct gr_device_kernel *kernel,
                             const struct gr_device_plan *plan);

/* The addresses of the `work` buffers. */
struct gr_device_works {
    uint64_t at[GR_DEVICE_WORKS];
};

/* One after another in a workspace of as many bytes. */
struct gr_device_works gr_device_works_in(const struct gr_device_kernel *kernel,
                                          const struct gr_device_plan *plan, uint64_t workspace);

/* Queues the launches; the GPU's context is current. `workspace` is the address of as many bytes as
 * gr_device_work_bytes says. */
enum gradus_status gr_device_launch_all(const struct gr_device_gpu *gpu,
                                        const struct gr_device_kernel *kernel,
                                        struct gr_device_loaded *loaded,
                                        const struct gr_device_given *given,
                                        const struct gr_device_plan *plan, uint64_t workspace,
                                        void *stream, struct gradus_error *error);

/* The same with `work` buffers anywhere. */
enum gradus_status
gr_device_launch_at(const struct gr_device_gpu *gpu, const struct gr_device_kernel *kernel,
                    struct gr_device_loaded *loaded, const struct gr_device_given *given,
                    const struct gr_device_plan *plan, const struct gr_device_works *works,
                    void *stream, struct gradus_error *error);

#endif
