/* cuda_burst.h: what the GPU's multiply-adds can do at this moment. SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_BURST_H
#define BACKEND_CUDA_BURST_H

#include "core/dtype.h"
#include "gpu/context.h"

/* GFLOP/s of independent FMAs on registers, on every SM, for about `ns` nanoseconds. 0 where it
 * cannot be measured. */
double gr_cuda_burst(const struct gr_cuda_context *context, enum gr_dtype type, int64_t ns);

#endif
