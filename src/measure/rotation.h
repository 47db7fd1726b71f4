/* rotation.h: the operand sets through which timing rotates. They are in the worker's private
 * memory, in huge pages if the system provides them. Shared memory has small pages unless an
 * administrator changes that, and page walks would then be part of every time: a sixth of a
 * 1024^3 GEMM in a virtual machine. SPDX-License-Identifier: MIT */
#ifndef MEASURE_ROTATION_H
#define MEASURE_ROTATION_H

#include <gradus/gradus.h>
#include <stdint.h>

enum { GR_MAX_SETS = 4096 };

/* Set i of operand o begins at base[o] + offset[o] + i * stride[o]. */
struct gr_rotation_plan {
    int sets;
    uint64_t offset[3], stride[3];
};

struct gr_rotation {
    struct {
        unsigned char *memory, *base; /* base is aligned to a huge page */
        uint64_t bytes;               /* counted from base */
    } operand[3];
};

/* Allocates memory for the plan; the previous content may be lost. NO_MEMORY if the machine does
 * not have that much available. */
enum gradus_status gr_rotation_reserve(struct gr_rotation *rotation,
                                       const struct gr_rotation_plan *plan,
                                       struct gradus_error *error);
/* Copies one A, B and C into the sets first, first + step, … */
void gr_rotation_fill(struct gr_rotation *rotation, const struct gr_rotation_plan *plan, int first,
                      int step, const void *const operands[3], const uint64_t bytes[3]);

#endif
