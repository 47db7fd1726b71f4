/* rotation.c: the operand sets for timing. SPDX-License-Identifier: MIT */
#include "measure/rotation.h"

#include "core/error.h"
#include "measure/arena.h"

#include <string.h>
#include <sys/mman.h>

static const uint64_t huge_page = 2 << 20;

static uint64_t bytes_of(const struct gr_rotation_plan *plan, int operand)
{
    uint64_t bytes = plan->offset[operand] + plan->stride[operand] * (uint64_t)plan->sets;
    return (bytes + huge_page - 1) / huge_page * huge_page;
}

enum gradus_status gr_rotation_reserve(struct gr_rotation *rotation,
                                       const struct gr_rotation_plan *plan,
                                       struct gradus_error *error)
{
    uint64_t more = 0;
    for (int o = 0; o < 3; o++)
        if (bytes_of(plan, o) > rotation->operand[o].bytes)
            more += bytes_of(plan, o);
    enum gradus_status status = gr_memory_check(more, error);
    for (int o = 0; o < 3 && status == GRADUS_OK; o++) {
        uint64_t bytes = bytes_of(plan, o);
        if (bytes <= rotation->operand[o].bytes)
            continue;
        if (rotation->operand[o].memory)
            munmap(rotation->operand[o].memory, rotation->operand[o].bytes + huge_page);
        rotation->operand[o].bytes = 0;
        unsigned char *memory = mmap(NULL, bytes + huge_page, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        rotation->operand[o].memory = memory == MAP_FAILED ? NULL : memory;
        if (memory == MAP_FAILED)
            return gr_fail_memory(error, "operands for timing", bytes);
        rotation->operand[o].base =
            memory + (huge_page - (uintptr_t)memory % huge_page) % huge_page;
        rotation->operand[o].bytes = bytes;
        madvise(rotation->operand[o].base, bytes, MADV_HUGEPAGE);
    }
    return status;
}

void gr_rotation_fill(struct gr_rotation *rotation, const struct gr_rotation_plan *plan, int first,
                      int step, const void *const operands[3], const uint64_t bytes[3])
{
    for (int set = first; set < plan->sets; set += step)
        for (int o = 0; o < 3; o++)
            memcpy(rotation->operand[o].base + plan->offset[o] + (uint64_t)set * plan->stride[o],
                   operands[o], bytes[o]);
}
