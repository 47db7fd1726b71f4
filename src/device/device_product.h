/* device_product.h: products on GPUs. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PRODUCT_H
#define DEVICE_DEVICE_PRODUCT_H

#include "device/device_dispatch.h"
#include "device/device_gpu.h"
#include "device/device_pieces.h"

#include <gradus/gradus.h>

/* Queues a product whose arguments have been checked, except for what only the CPU supports; see
 * gradus_gemm_run. */
enum gradus_status gr_device_gemm(const struct gradus_gemm *gemm, struct gradus_error *error);
/* Queues one of several products that follow each other on a stream, have a workspace and no
 * epilogue, and do not change B as long as its address is the same. *left, {0} for the first of
 * them, is what the product before has left. */
enum gradus_status gr_device_gemm_next(const struct gradus_gemm *gemm, struct gr_device_left *left,
                                       struct gradus_error *error);
/* Queues the part of the next product that depends on its A alone, if its B is that of the last
 * product; see gr_device_make_ahead. gemm->stream may differ from the last product's stream; when
 * the work on it begins, all products but the last one must have ended. left->ahead.pieces is not 0
 * if anything was queued; then the next product must wait for it. */
enum gradus_status gr_device_gemm_ahead(const struct gradus_gemm *gemm, uint64_t spare,
                                        int64_t spare_bytes, struct gr_device_left *left,
                                        struct gradus_error *error);
/* Returns the bytes that `spare` needs for the product, with aligned addresses; 0: nothing can be
 * made ahead. The GPU's context must be current. */
int64_t gr_device_ahead_bytes(struct gr_device_gpu *gpu, const struct gradus_gemm *gemm);
/* Computes the expected time of a product, with aligned addresses. `tuned`: see gr_device_least.
 * Returns false if no kernel can compute it. */
bool gr_device_expected(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *gemm,
                        struct gr_device_expected *expected);
/* Has the GPU in whose memory C is a kernel that rounds floats to tf32? */
bool gr_device_has_tf32(const void *c);
/* See gradus_gemm_workspace. */
int64_t gr_device_workspace(const struct gradus_gemm *gemm, struct gradus_error *error);

#endif
