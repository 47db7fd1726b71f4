/* device_product.h: products on GPUs. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PRODUCT_H
#define DEVICE_DEVICE_PRODUCT_H

#include "device/device_gpu.h"
#include "device/device_pieces.h"

#include <gradus/gradus.h>

/* Queues a problem that is valid but for what only the CPU has: see gradus_gemm_run. */
enum gradus_status gr_device_gemm(const struct gradus_gemm *gemm, struct gradus_error *error);
/* One of several products that are queued one after another on a stream, with a workspace, without
 * an epilogue, and with B unchanged wherever its address is: *left, {0} for the first of them, is
 * what the one before has left. */
enum gradus_status gr_device_gemm_next(const struct gradus_gemm *gemm, struct gr_device_left *left,
                                       struct gradus_error *error);
/* The seconds that the library expects of a product on a GPU, addresses aligned; of those, *of_b
 * for what gr_device_gemm_next need not do again. `tuned`: see gr_device_least_us. -1: no kernel
 * computes it. */
double gr_device_expected_s(const struct gr_device_gpu *gpu, bool tuned,
                            const struct gradus_gemm *gemm, double *of_b);
/* See gradus_gemm_workspace. */
int64_t gr_device_workspace(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
