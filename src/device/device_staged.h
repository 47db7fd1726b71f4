/* device_staged.h: products of matrices in host memory on a GPU, panel by panel.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_STAGED_H
#define DEVICE_DEVICE_STAGED_H

#include <gradus/gradus.h>

/* See gradus_gemm_run: where C is in a GPU's memory, gr_device_gemm; where C and all other operands
 * are in host memory, the product by way of the GPU in use, which is complete when this returns. */
enum gradus_status gr_device_run(const struct gradus_gemm *gemm, struct gradus_error *error);

/* Rows and columns of the panels of C in which a row-major product is computed with `free_bytes` of
 * the GPU's memory: as large as fit, in which case the panels of A and B have all of k. NO_MEMORY:
 * not even the smallest do. */
enum gradus_status gr_device_panels(const struct gradus_gemm *gemm, int64_t free_bytes,
                                    int64_t *rows, int64_t *columns, struct gradus_error *error);

#endif
