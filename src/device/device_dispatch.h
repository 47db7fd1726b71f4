/* device_dispatch.h: chooses the kernel that computes a product. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_DISPATCH_H
#define DEVICE_DEVICE_DISPATCH_H

#include "device/device_gpu.h"
#include "device/device_model.h"

/* Chooses the kernel for a product and computes its plan. *kernel is an index in gr_device_kernels.
 * The choice depends on the sizes, leading dimensions, transposes, batch, alignment of the
 * addresses, types, `math` and the GPU, and, if `given` has an epilogue, on whether there is a bias
 * and an activation: the kernel then applies it. It depends on nothing else. UNSUPPORTED: no kernel
 * has these types, this `math`, or such an epilogue, on this GPU. */
enum gradus_status gr_device_choose(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                                    const struct gr_device_given *given, int *kernel,
                                    struct gr_device_plan *plan, struct gradus_error *error);

/* The expected time of a product on an H100 in us (or on the GPU that was measured; see
 * gr_device_expects). */
struct gr_device_expected {
    double us;
    struct gr_device_pieces pieces; /* the parts of `us` that pieces of the operands take */
};

/* Finds the kernel with the shortest expected time. `tuned` true: the times are corrected by
 * measurements. `tuned` false: they are those of the cost models alone, which vary smoothly between
 * sizes. Returns false if no kernel can compute the product. */
bool gr_device_least(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *gemm,
                     const struct gr_device_given *given, struct gr_device_expected *expected);

/* How many products of a batch (given->batch, 2 or more) to compute in one launch. 1 means that one
 * launch for each product is expected to be faster, or that no kernel can compute several. Like the
 * choice above, this depends on nothing but the problem and the GPU. */
int64_t gr_device_at_once(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                          const struct gr_device_given *given);

/* Computes the expected time of a kernel in us on an H100, or, if there are measurements
 * (gpu->points), on the GPU that they are of; *admitted tells whether `math` allows the kernel.
 * Returns false if the kernel has other types or transposes, is for other GPUs, or refuses the
 * product. */
bool gr_device_expects(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                       const struct gr_device_given *given, int kernel, double *us, bool *admitted);

#endif
