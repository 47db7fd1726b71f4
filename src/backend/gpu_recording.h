/* gpu_recording.h: timing what is put into the stream: recorded as a graph, so that the host's own
 * cost of each launch is not in it, and played between two events. SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_RECORDING_H
#define BACKEND_GPU_RECORDING_H

#include "gpu/context.h"

/* Starts zeroed; its events are made at the first use. */
struct gr_gpu_recording {
    gr_gpu_event start, stop;
};

enum gradus_status gr_gpu_recording_begin(const struct gr_gpu_context *context,
                                          struct gr_gpu_recording *recording,
                                          struct gradus_error *error);
/* Plays what was put into the context's stream since `begin`, waits for it, and stores the
 * nanoseconds that the GPU took. CRASHED: a kernel faulted; the context is lost. */
enum gradus_status gr_gpu_recording_end(const struct gr_gpu_context *context,
                                        struct gr_gpu_recording *recording, int64_t *ns,
                                        struct gradus_error *error);
void gr_gpu_recording_free(const struct gr_gpu_context *context,
                           struct gr_gpu_recording *recording);

#endif
