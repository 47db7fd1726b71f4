/* device_model.h: the cost models of the library's kernels. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_MODEL_H
#define DEVICE_DEVICE_MODEL_H

#include "device/kernel_table.h"

/* What is known of a kernel's products. */
struct gr_device_cost {
    const char *file;
    enum gradus_math math; /* by which it multiplies floats */
    /* in us; null: its `least` line says it */
    double (*time)(const struct gr_device_given *given, const struct gr_device_plan *plan);
    int but; /* a compute capability where another kernel is faster for all products but batches in
                one launch; 0: none */
};

/* Null: the kernel computes no products. */
const struct gr_device_cost *gr_device_cost_of(const struct gr_device_kernel *kernel);
/* Is the kernel used on such GPUs, for such a product or batch? */
bool gr_device_is_used(const struct gr_device_cost *cost, int cc,
                       const struct gr_device_given *given);
/* The microseconds of an H100 with as many multiprocessors as `given` has; `plan` is the kernel's
 * own. */
double gr_device_model_us(const struct gr_device_cost *cost, const struct gr_device_given *given,
                          const struct gr_device_plan *plan);

/* The parts of that which pieces of A and of B take (device_pieces.h), and for how long, at the
 * end, the multiprocessors have nothing to multiply, in the mean: so much of other work they can do
 * then. All 0: the kernel makes no pieces. */
struct gr_device_pieces {
    double a_us, b_us, idle_us;
};
struct gr_device_pieces gr_device_pieces_of(const struct gr_device_cost *cost,
                                            const struct gr_device_given *given);

/* Has the kernel the types of a product, and its transposes (0 to 3)? */
bool gr_device_has_types(const struct gr_device_kernel *kernel, const struct gradus_gemm *gemm,
                         int trans);
/* Does the caller's `math` admit the kernel, of a product with that k? */
bool gr_device_has_math(const struct gr_device_cost *cost, const struct gradus_gemm *gemm,
                        int64_t k);

#endif
