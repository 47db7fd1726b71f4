/* gpu_burst.h: what the GPU's multiply-adds can do at this moment. SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_BURST_H
#define BACKEND_GPU_BURST_H

#include "core/dtype.h"
#include "gpu/context.h"

/* The kernels that were compiled, of each type without and with tensor cores. Starts zeroed. */
struct gr_gpu_bursts {
    gr_gpu_function made[GR_DTYPE_COUNT][2]; /* null: cannot be compiled, or not tried yet */
    bool tried[GR_DTYPE_COUNT][2];
};

/* The GFLOP/s of independent FMAs on registers, on all SMs, for about `ns` nanoseconds. 0 if it
 * cannot be measured. */
double gr_gpu_burst(const struct gr_gpu_context *context, struct gr_gpu_bursts *bursts,
                    enum gr_dtype type, int64_t ns);

#endif
