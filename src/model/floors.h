/* floors.h: lower bounds of a product's time, whatever the kernel. SPDX-License-Identifier:
 * MIT */
#ifndef MODEL_FLOORS_H
#define MODEL_FLOORS_H

#include "records/problem.h"
#include "model/device.h"

struct gr_floors {
    double flops; /* 2 M N K */
    double
        bytes; /* compulsory: A and B read once, C written once, and read once unless beta is 0 */
    double gflops; /* the device's peak for the type that is summed in, without tensor cores */
    double compute_ns, memory_ns; /* flops at the peak rate; bytes at the memory's bandwidth */
};

struct gr_floors gr_floors_of(const struct gr_problem *problem, const struct gr_device *device);

#endif
