/* device_product.h: products on GPUs. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PRODUCT_H
#define DEVICE_DEVICE_PRODUCT_H

#include <gradus/gradus.h>

/* Queues a problem that is valid but for what only the CPU has: see gradus_gemm_run. */
enum gradus_status gr_device_gemm(const struct gradus_gemm *gemm, struct gradus_error *error);
/* See gradus_gemm_workspace. */
int64_t gr_device_workspace(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
