/* context.h: the GPU that this process uses, and the stream that its kernels share with NVIDIA's
 * libraries. SPDX-License-Identifier: MIT */
#ifndef GPU_CONTEXT_H
#define GPU_CONTEXT_H

#include "gpu/driver.h"

struct gr_cuda_context {
    const struct gr_cuda *cuda;
    struct gr_cuda_device device;
    CUcontext context;
    CUstream stream;
};

/* Retains the device's primary context, which NVIDIA's own libraries use as well, creates a
 * stream, and makes both current. They exist until the process ends; another call for the same
 * device returns the same ones. UNSUPPORTED as in gr_cuda_open. */
enum gradus_status gr_cuda_context_open(int ordinal, const struct gr_cuda_context **context,
                                        struct gradus_error *error);
/* Makes the context current for the calling thread. */
void gr_cuda_context_use(const struct gr_cuda_context *context);
/* The current context, for libraries that should use its stream; null before the first one is
 * opened. */
const struct gr_cuda_context *gr_cuda_context(void);

#endif
