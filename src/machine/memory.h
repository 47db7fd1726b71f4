/* memory.h: the global memory that a launch may access: ranges of host addresses.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct gr_memory_range {
    uint64_t lo, hi;
};

struct gr_machine_memory {
    struct gr_memory_range *ranges; /* in ascending order; they do not overlap */
    int count, room;
};

bool gr_memory_add(struct gr_machine_memory *memory, uint64_t lo, uint64_t bytes);
void gr_memory_remove(struct gr_machine_memory *memory, uint64_t lo);
void gr_memory_free(struct gr_machine_memory *memory);
/* Returns the range that contains the byte at `address`, or null. */
const struct gr_memory_range *gr_memory_find(const struct gr_machine_memory *memory,
                                             uint64_t address);

#endif
