/* device_product.h: products on GPUs. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PRODUCT_H
#define DEVICE_DEVICE_PRODUCT_H

#include "device/device_dispatch.h"
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
/* Queues on `gemm`'s stream, which may be another one than the last product's, what the next
 * product would begin with and what needs nothing of the last one, if B is the last one's: see
 * gr_device_make_ahead. left->ahead.pieces tells whether anything was queued; then that product
 * must wait for it. On this stream, all products but the last one must have ended. */
enum gradus_status gr_device_gemm_ahead(const struct gradus_gemm *gemm, uint64_t spare,
                                        int64_t spare_bytes, struct gr_device_left *left,
                                        struct gradus_error *error);
/* So many bytes `spare` takes for the product, addresses aligned; 0: nothing is made ahead. The
 * GPU's context is current. */
int64_t gr_device_ahead_bytes(struct gr_device_gpu *gpu, const struct gradus_gemm *gemm);
/* What the library expects of a product on a GPU, addresses aligned. `tuned`: see
 * gr_device_least. False: no kernel computes it. */
bool gr_device_expected(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *gemm,
                        struct gr_device_expected *expected);
/* See gradus_gemm_workspace. */
int64_t gr_device_workspace(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
