/* rotation.h: the operand sets that timing rotates through: the worker's private memory, in huge
 * pages where the system grants them. Shared memory has small pages unless an administrator says
 * otherwise, and then page walks, not kernels, are timed: a sixth of a 1024^3 product in a virtual
 * machine. SPDX-License-Identifier: MIT */
#ifndef MEASURE_ROTATION_H
#define MEASURE_ROTATION_H

#include <gradus/gradus.h>
#include <stdint.h>

enum { GR_MAX_SETS = 4096 };

/* Set i of operand o starts at base[o] + offset[o] + i * stride[o]. */
struct gr_rotation_plan {
    int sets;
    uint64_t offset[3], stride[3];
};

struct gr_rotation {
    struct {
        unsigned char *memory, *base; /* base: aligned to a huge page */
        uint64_t bytes;               /* from base on */
    } operand[3];
};

/* Makes room for the plan; what was there may be lost. NO_MEMORY when the machine has not that much
 * to give. */
enum gradus_status gr_rotation_reserve(struct gr_rotation *rotation,
                                       const struct gr_rotation_plan *plan,
                                       struct gradus_error *error);
/* Copies one A, B and C into sets first, first + step, … */
void gr_rotation_fill(struct gr_rotation *rotation, const struct gr_rotation_plan *plan, int first,
                      int step, const void *const operands[3], const uint64_t bytes[3]);

#endif
