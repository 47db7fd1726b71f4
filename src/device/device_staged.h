/* device_staged.h: products of matrices in host memory on a GPU, panel by panel.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_STAGED_H
#define DEVICE_DEVICE_STAGED_H

#include <gradus/gradus.h>

/* See gradus_gemm_run: where C is in a GPU's memory, gr_device_gemm; where C and all other operands
 * are in host memory, the product by way of the GPU in use, which is complete when this returns. */
enum gradus_status gr_device_run(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
