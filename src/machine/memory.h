/* memory.h: the global memory that a launch may access: ranges of addresses of the host.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct gr_memory_range {
    uint64_t lo, hi;
};

struct gr_machine_memory {
    struct gr_memory_range *ranges; /* ascending, apart from one another */
    int count, room;
};

bool gr_memory_add(struct gr_machine_memory *memory, uint64_t lo, uint64_t bytes);
void gr_memory_remove(struct gr_machine_memory *memory, uint64_t lo);
void gr_memory_free(struct gr_machine_memory *memory);
/* The range that holds the byte at `address`; null: none. */
const struct gr_memory_range *gr_memory_find(const struct gr_machine_memory *memory,
                                             uint64_t address);

#endif
