/* cuda_launch.h: launches the kernels of a plan. SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_LAUNCH_H
#define BACKEND_CUDA_LAUNCH_H

#include "backend/backend.h"
#include "backend/cuda_map.h"

/* A module and the functions of the kernel's stanzas, in their order. */
struct gr_cuda_module {
    CUmodule module;
    CUfunction functions[GR_MAX_STANZAS];
    int count;
};

/* Submits the launches of the plan to the context's stream: either the untimed ones (`once`) or
 * the others. Before the others, work buffers marked `zero` are set to zero in the stream. A
 * stanza with an empty grid is not launched. LAUNCH: the driver refused a launch. */
enum gradus_status gr_cuda_launch(const struct gr_cuda_context *context,
                                  struct gr_cuda_map_copies *copies,
                                  const struct gr_cuda_module *module,
                                  const struct gr_launch *launch, const struct gr_plan *plan,
                                  const struct gr_scratch *scratch, bool once,
                                  struct gradus_error *error);

#endif
