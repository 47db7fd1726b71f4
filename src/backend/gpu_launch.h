/* gpu_launch.h: launching what a plan says. SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_LAUNCH_H
#define BACKEND_GPU_LAUNCH_H

#include "backend/backend.h"
#include "backend/cuda_map.h"

/* A module and the functions of its kernel's stanzas, in their order. */
struct gr_gpu_loaded {
    gr_gpu_module module;
    gr_gpu_function functions[GR_MAX_STANZAS];
    int count;
};

/* Puts the launches of the plan into the context's stream: the untimed (`once`) ones, or the
 * others. Work buffers marked zero are zeroed first, in the stream, before the others. LAUNCH: the
 * driver refused it; a stanza with an empty grid is not launched. */
enum gradus_status gr_gpu_launch(const struct gr_gpu_context *context,
                                 struct gr_cuda_map_copies *copies,
                                 const struct gr_gpu_loaded *module, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 bool once, struct gradus_error *error);

#endif
