/* cuda_recording.h: times the work of a stream. The work is captured as a CUDA graph and the
 * graph is launched between two events, so that the host's launch overhead is not measured.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_RECORDING_H
#define BACKEND_CUDA_RECORDING_H

#include "gpu/context.h"

/* Initialize with {0}; the events are created at the first use. */
struct gr_cuda_recording {
    CUevent start, stop;
};

enum gradus_status gr_cuda_recording_begin(const struct gr_cuda_context *context,
                                           struct gr_cuda_recording *recording,
                                           struct gradus_error *error);
/* Launches what was submitted to the context's stream since `begin`, waits for it, and stores
 * the nanoseconds that the GPU took. CRASHED: a kernel faulted, and the context is lost. */
enum gradus_status gr_cuda_recording_end(const struct gr_cuda_context *context,
                                         struct gr_cuda_recording *recording, int64_t *ns,
                                         struct gradus_error *error);
void gr_cuda_recording_free(const struct gr_cuda_context *context,
                            struct gr_cuda_recording *recording);

#endif
