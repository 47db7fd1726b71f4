/* stream.h: products on a GPU of matrices in host memory, any of which may be larger than the GPU's
 * memory: blocks are copied there, multiplied and fetched while the next ones are under way.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_STREAM_H
#define FILES_STREAM_H

#include "backend/device_ref.h"

#include <gradus/gradus.h>
#include <stdint.h>

/* Row-major; gemm->threads pack. At most `memory_bytes` of the GPU's memory are used, 0: nine
 * tenths of what is free. The kernel is gr_gpu_kernel_open's. UNSUPPORTED: no GPU, no compiler.
 * NO_MEMORY: not even the smallest blocks fit. C is whole on success, and of no meaning otherwise.
 */
enum gradus_status gr_stream_multiply(const struct gr_device_ref *device, int64_t memory_bytes,
                                      const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
