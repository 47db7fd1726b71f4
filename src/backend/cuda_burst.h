/* cuda_burst.h: what the GPU's multiply-adds can do at this moment. SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_BURST_H
#define BACKEND_CUDA_BURST_H

#include "core/dtype.h"
#include "gpu/context.h"

/* The kernels that were compiled, of each type without and with tensor cores. Starts zeroed. */
struct gr_cuda_bursts {
    CUfunction made[GR_DTYPE_COUNT][2]; /* null: cannot be compiled, or not tried yet */
    bool tried[GR_DTYPE_COUNT][2];
};

/* GFLOP/s of independent FMAs on registers, on every SM, for about `ns` nanoseconds. 0 where it
 * cannot be measured. */
double gr_cuda_burst(const struct gr_cuda_context *context, struct gr_cuda_bursts *bursts,
                     enum gr_dtype type, int64_t ns);

#endif
