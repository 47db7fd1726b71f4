/* context.h: the one GPU that a process works on, and the stream that its kernels and the libraries
 * beside them share. SPDX-License-Identifier: MIT */
#ifndef GPU_CONTEXT_H
#define GPU_CONTEXT_H

#include "gpu/driver.h"

struct gr_cuda_context {
    const struct gr_cuda *cuda;
    struct gr_cuda_device device;
    CUcontext context;
    CUstream stream;
};

/* Takes the device's primary context, which NVIDIA's own libraries use as well, and makes a stream.
 * A second call for the same device gives the same one; for another device: INVALID. UNSUPPORTED as
 * gr_cuda_open. */
enum gradus_status gr_cuda_context_open(int ordinal, const struct gr_cuda_context **context,
                                        struct gradus_error *error);
/* The one that is open, or null. */
const struct gr_cuda_context *gr_cuda_context(void);

#endif
