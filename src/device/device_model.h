/* device_model.h: the cost models of the library's kernels. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_MODEL_H
#define DEVICE_DEVICE_MODEL_H

#include "device/kernel_table.h"

/* The cost model of a kernel that computes products. */
struct gr_device_cost {
    const char *file;
    enum gradus_math math; /* the arithmetic with which it multiplies floats */
    /* the expected time in us; null: the `least` line of the kernel's file computes it */
    double (*time)(const struct gr_device_given *given, const struct gr_device_plan *plan);
    int but; /* a compute capability for which another kernel is faster, except for batches in one
                launch; 0: none */
};

/* Returns null if the kernel does not compute products. */
const struct gr_device_cost *gr_device_cost_of(const struct gr_device_kernel *kernel);
/* Is the kernel used on GPUs of this compute capability for such a product or batch? */
bool gr_device_is_used(const struct gr_device_cost *cost, int cc,
                       const struct gr_device_given *given);
/* The expected time in us, on an H100 with as many multiprocessors as `given` says. `plan` is the
 * kernel's plan for this product. */
double gr_device_model_us(const struct gr_device_cost *cost, const struct gr_device_given *given,
                          const struct gr_device_plan *plan);

/* The parts of this time in which pieces of A and of B are made (device_pieces.h), and the mean
 * time for which a multiprocessor has nothing to multiply at the end, and could do other work. All
 * are 0 if the kernel makes no pieces. */
struct gr_device_pieces {
    double a_us, b_us, idle_us;
};
struct gr_device_pieces gr_device_pieces_of(const struct gr_device_cost *cost,
                                            const struct gr_device_given *given);

/* Does the kernel have the product's types and transposes (0 to 3)? */
bool gr_device_has_types(const struct gr_device_kernel *kernel, const struct gradus_gemm *gemm,
                         int trans);
/* Does the caller's `math` allow the kernel, for a product with this k? */
bool gr_device_has_math(const struct gr_device_cost *cost, const struct gradus_gemm *gemm,
                        int64_t k);

#endif
