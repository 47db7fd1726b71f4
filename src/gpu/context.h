/* context.h: a GPU that this process works on, and the stream that its kernels and the libraries
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

/* Takes the device's primary context, which NVIDIA's own libraries use as well, makes a stream, and
 * puts both into use. They stay for the life of the process: a second call for the same device
 * gives the same ones. UNSUPPORTED as gr_cuda_open. */
enum gradus_status gr_cuda_context_open(int ordinal, const struct gr_cuda_context **context,
                                        struct gradus_error *error);
/* From now on the calling thread's calls of the driver are for this GPU. */
void gr_cuda_context_use(const struct gr_cuda_context *context);
/* The one that is in use, for libraries that multiply on its stream; null before the first is
 * opened. */
const struct gr_cuda_context *gr_cuda_context(void);

#endif
