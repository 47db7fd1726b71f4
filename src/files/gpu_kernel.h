/* gpu_kernel.h: the library's own GPU kernel in this process, ready to be enqueued.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_GPU_KERNEL_H
#define FILES_GPU_KERNEL_H

#include "backend/backend.h"
#include "catalog/catalog.h"

struct gr_gpu_kernel {
    const struct gr_backend *backend;
    struct gr_catalog catalog;
    struct gr_variant variant;
    struct gr_artifact artifact;
    void *found, *opened, *loaded; /* by the backend */
    struct gr_scratch scratch;
};

/* `device` is a GPU; `threads` of the host run a simulated one.
 * Of the rungs that have the type, without transposes, and can be built for the device, the one
 * most steps above the first (gr_catalog_steps). The device is opened. */
enum gradus_status gr_gpu_kernel_open(const struct gr_device_ref *device, enum gr_dtype type,
                                      int threads, struct gr_gpu_kernel *kernel,
                                      struct gradus_error *error);
/* Enqueues C = alpha A B + beta C; addresses are the device's. */
enum gradus_status gr_gpu_kernel_run(struct gr_gpu_kernel *kernel, const struct gr_problem *problem,
                                     const void *a, const void *b, void *c,
                                     struct gradus_error *error);
/* Harmless on a zeroed one. */
void gr_gpu_kernel_close(struct gr_gpu_kernel *kernel);

#endif
