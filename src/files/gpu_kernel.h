/* gpu_kernel.h: prepares the best GPU rung for use in this process, without a worker.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_GPU_KERNEL_H
#define FILES_GPU_KERNEL_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "catalog/catalog.h"

struct gr_gpu_kernel {
    const struct gr_backend *backend;
    struct gr_catalog catalog;
    struct gr_variant variant;
    struct gr_artifact artifact;
    void *found, *opened, *loaded; /* the backend's objects */
    struct gr_scratch scratch;
};

/* Opens the device and loads a rung. `device` is a GPU; if it is simulated, `threads` of the
 * host run it. Among the rungs that support the type without transposes and compile for the
 * device, the one with the most steps (gr_catalog_steps) is taken. */
enum gradus_status gr_gpu_kernel_open(const struct gr_device_ref *device, enum gr_dtype type,
                                      const struct gr_build *build, int threads,
                                      struct gr_gpu_kernel *kernel, struct gradus_error *error);
/* Submits C = alpha A B + beta C; the addresses are device addresses. */
enum gradus_status gr_gpu_kernel_run(struct gr_gpu_kernel *kernel, const struct gr_problem *problem,
                                     const void *a, const void *b, void *c,
                                     struct gradus_error *error);
/* `kernel` may be zeroed. */
void gr_gpu_kernel_close(struct gr_gpu_kernel *kernel);

#endif
