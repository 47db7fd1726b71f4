/* device_dispatch.h: which kernel computes a product. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_DISPATCH_H
#define DEVICE_DEVICE_DISPATCH_H

#include "device/device_gpu.h"
#include "device/device_model.h"

/* The kernel, a place in gr_device_kernels, for a product of such types on such a GPU, and its
 * plan. The choice depends on the sizes, the transposes, the addresses' alignment, `math` and the
 * GPU's model, and on nothing else. UNSUPPORTED: no kernel has the types, or `math`, there. */
enum gradus_status gr_device_choose(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                                    const struct gr_device_given *given, int *kernel,
                                    struct gr_device_plan *plan, struct gradus_error *error);

/* What is expected of a product, in microseconds as below. */
struct gr_device_expected {
    double us;
    struct gr_device_pieces pieces; /* of those */
};

/* The kernel that ends first. `tuned`: by what was measured, too; otherwise by the models alone,
 * which are even between sizes. False: there is none. */
bool gr_device_least(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *gemm,
                     const struct gr_device_given *given, struct gr_device_expected *expected);

/* How many of the products of a batch (given->batch, 2 or more) to compute in one launch: 1 where a
 * launch for each is expected to end first, or no kernel takes more. As above, it depends on
 * nothing else. */
int64_t gr_device_at_once(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                          const struct gr_device_given *given);

/* What is expected of a kernel: `us` microseconds of an H100, or where something was measured
 * (gpu->points), of that GPU; and whether `math` admits it. False: it has other types or
 * transposes, is for other GPUs, or refuses the product. */
bool gr_device_expects(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                       const struct gr_device_given *given, int kernel, double *us, bool *admitted);

#endif
