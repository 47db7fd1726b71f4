/* tensor_burst.h: the source of a burst on NVIDIA's tensor cores, for elements of 16 and 8 bits.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_TENSOR_BURST_H
#define BACKEND_TENSOR_BURST_H

#include "base/str.h"
#include "core/dtype.h"
#include "gpu/context.h"

enum { GR_TENSOR_BURST_ROUND = 64 }; /* `steps` of such a kernel is a multiple of it */

/* Appends a kernel `burst(int steps, float seed, float *out)` whose step is 128 FMAs of each of 256
 * threads, by wgmma on Hopper and by mma.sync elsewhere. False, and nothing is appended, if the
 * device has no such instruction for the type: f16 and bf16, and on Hopper e4m3 and e5m2. */
bool gr_tensor_burst_write(const struct gr_gpu_device *device, enum gr_dtype type,
                           struct gr_str *text);

#endif
