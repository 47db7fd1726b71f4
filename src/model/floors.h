/* floors.h: lower bounds of the time that a computation takes on a device, whatever the kernel.
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_FLOORS_H
#define MODEL_FLOORS_H

#include "core/dtype.h"
#include "model/device.h"

struct gr_floors {
    double flops;                 /* floating-point operations */
    double bytes;                 /* the bytes that must move between the device and its memory */
    double gflops;                /* the peak rate of the device for the type */
    double compute_ns, memory_ns; /* flops at the peak rate; bytes at the memory's bandwidth */
};

/* By plain multiply-adds, without tensor cores. `acc` is the type of the sums. */
struct gr_floors gr_floors_of(double flops, double bytes, enum gr_dtype acc,
                              const struct gr_device *device);

/* The same by tensor cores; gflops and compute_ns are 0 if these do not multiply the types, or if
 * their rate is not known (gr_device_gflops_tensor). */
struct gr_floors gr_floors_by_tensor_cores(double flops, double bytes, struct gr_types types,
                                           bool tf32, const struct gr_device *device);

#endif
