/* context.h: a GPU that this process works on, and the stream that its kernels and the libraries
 * beside them share. SPDX-License-Identifier: MIT */
#ifndef GPU_CONTEXT_H
#define GPU_CONTEXT_H

#include "gpu/vendor.h"

struct gr_gpu_context {
    const struct gr_gpu_driver *driver;
    struct gr_gpu_device device;
    gr_gpu_context_handle context;
    gr_gpu_stream stream;
};

/* Takes the device's primary context, which the vendor's own libraries use as well, makes a stream,
 * and puts both into use. They stay for the life of the process: a second call for the same device
 * gives the same ones. UNSUPPORTED as gr_cuda_open. */
enum gradus_status gr_gpu_context_open(const struct gr_gpu_vendor *vendor, int ordinal,
                                       const struct gr_gpu_context **context,
                                       struct gradus_error *error);
/* From now on the calling thread's calls of the driver are for this GPU. */
void gr_gpu_context_use(const struct gr_gpu_context *context);
/* The one that is in use, for libraries that multiply on its stream; null before the first is
 * opened. */
const struct gr_gpu_context *gr_gpu_context(void);

#endif
