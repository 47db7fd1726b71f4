/* device_finish.h: the epilogue of a product on a GPU, which is a launch after it:
 * kernels/library/. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_FINISH_H
#define DEVICE_DEVICE_FINISH_H

#include "device/device_gpu.h"

/* Is there an epilogue that does something? */
bool gr_device_finishes(const struct gradus_gemm *gemm);

/* Bytes of memory for the sums of one product, which are kept in float where C has fewer bits, so
 * that it is rounded once: after the epilogue. 0 where the epilogue is applied to C in place. The
 * rows of the sums are *ld elements apart. */
int64_t gr_device_sums_bytes(const struct gradus_gemm *gemm, const struct gr_device_given *given,
                             int64_t *ld);

/* What the cost model expects of it, in us of an H100: a launch, and its bytes, those counted which
 * the product writes beyond what it would write otherwise. 0: there is none. */
double gr_device_finish_us(const struct gradus_gemm *gemm, const struct gr_device_given *given);

/* An epilogue that is ready to be queued: what is needed for it was loaded. */
struct gr_device_finish {
    const struct gr_device_kernel *kernel;
    struct gr_device_loaded *loaded;
    struct gr_device_given given;
    struct gr_device_plan plan;
};

/* `given` is the caller's (row-major) product. Where the epilogue reads sums, `lds` is the distance
 * of their rows, and finish->given.sums, their address, must be set before the launch. */
enum gradus_status gr_device_finish_prepare(struct gr_device_gpu *gpu,
                                            const struct gradus_gemm *gemm,
                                            const struct gr_device_given *given, int64_t lds,
                                            struct gr_device_finish *finish,
                                            struct gradus_error *error);
/* Queues it; the GPU's context is current. */
enum gradus_status gr_device_finish_launch(const struct gr_device_gpu *gpu,
                                           const struct gr_device_finish *finish, void *stream,
                                           struct gradus_error *error);

#endif
