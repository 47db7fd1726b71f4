/* stream.h: multiplies matrices in host memory on a GPU. Each may be larger than the GPU's
 * memory: blocks are copied to the GPU, multiplied and copied back while the next ones are in
 * progress. SPDX-License-Identifier: MIT */
#ifndef FILES_STREAM_H
#define FILES_STREAM_H

#include "backend/device_ref.h"

#include <gradus/gradus.h>
#include <stdint.h>

/* All matrices are row-major; gemm->threads threads pack the blocks. At most `memory_bytes` of
 * the GPU's memory are used (0: nine tenths of the free memory). gr_gpu_kernel_open selects the
 * kernel. UNSUPPORTED: no GPU or no compiler. NO_MEMORY: not even the smallest blocks fit. On
 * failure the content of C is undefined. */
enum gradus_status gr_stream_multiply(const struct gr_device_ref *device, int64_t memory_bytes,
                                      const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
