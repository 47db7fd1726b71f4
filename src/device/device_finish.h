/* device_finish.h: the epilogue of a product on a GPU. Some kernels apply a bias and ReLU to their
 * sums; otherwise it is a separate launch after the product, of a kernel of kernels/library/.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_FINISH_H
#define DEVICE_DEVICE_FINISH_H

#include "device/device_gpu.h"

/* Is there an epilogue that changes anything? */
bool gr_device_finishes(const struct gradus_gemm *gemm);

/* Can a kernel that multiplies apply the epilogue itself (kernels/gpu/epilogue.h)? */
bool gr_device_fuses(const struct gradus_gemm *gemm, const struct gr_device_given *given);

/* Returns the row-major product `given` with the members of its epilogue. */
struct gr_device_given gr_device_with_epilogue(const struct gradus_gemm *gemm,
                                               const struct gr_device_given *given);

/* Bytes of memory for the sums of one product. Where C has fewer bits than the sums, these are kept
 * in float and rounded once, after the epilogue. Returns 0 where the epilogue is applied to C in
 * place. *ld is the leading dimension of the sums, in elements. */
int64_t gr_device_sums_bytes(const struct gradus_gemm *gemm, const struct gr_device_given *given,
                             int64_t *ld);

/* The expected time of the epilogue in us on an H100: that of a launch and of its memory traffic,
 * which includes what the product writes beyond C. Returns 0 if there is no epilogue. */
double gr_device_finish_us(const struct gradus_gemm *gemm, const struct gr_device_given *given);

/* An epilogue that is ready to be queued: its kernel has been loaded. */
struct gr_device_finish {
    const struct gr_device_kernel *kernel;
    struct gr_device_loaded *loaded;
    struct gr_device_given given;
    struct gr_device_plan plan;
};

/* Prepares the epilogue of the product `given`, which is row-major. If the epilogue reads sums,
 * `lds` is their leading dimension, and finish->given.sums, their address, must be set before the
 * launch. UNSUPPORTED: there is no epilogue for the types on this GPU. */
enum gradus_status gr_device_finish_prepare(struct gr_device_gpu *gpu,
                                            const struct gradus_gemm *gemm,
                                            const struct gr_device_given *given, int64_t lds,
                                            struct gr_device_finish *finish,
                                            struct gradus_error *error);
/* Queues the epilogue. The GPU's context must be current. */
enum gradus_status gr_device_finish_launch(const struct gr_device_gpu *gpu,
                                           const struct gr_device_finish *finish, void *stream,
                                           struct gradus_error *error);

#endif
