/* cuda_burst.h: measures the FMA peak of the GPU at this moment, with its present clock.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_BURST_H
#define BACKEND_CUDA_BURST_H

#include "core/dtype.h"
#include "gpu/context.h"

/* The compiled burst kernels of each type, without and with tensor cores. Initialize with {0}. */
struct gr_cuda_bursts {
    CUfunction made[GR_DTYPE_COUNT][2]; /* null: not compiled yet, or cannot be compiled */
    bool tried[GR_DTYPE_COUNT][2];
};

/* The GFLOP/s of independent FMAs on registers, on all SMs, for about `ns` nanoseconds. 0 if it
 * cannot be measured. */
double gr_cuda_burst(const struct gr_cuda_context *context, struct gr_cuda_bursts *bursts,
                     enum gr_dtype type, int64_t ns);

#endif
