/* device_staged.h: computes products of matrices in host memory on a GPU, panel by panel.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_STAGED_H
#define DEVICE_DEVICE_STAGED_H

#include <gradus/gradus.h>

/* See gradus_gemm_run. If C is in a GPU's memory, this is gr_device_gemm. If C and all other
 * operands are in host memory, they are copied to the GPU in use and back, and C is complete on
 * return. */
enum gradus_status gr_device_run(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
