/* memory.c: the ranges of global memory. SPDX-License-Identifier: MIT */
#include "machine/memory.h"

#include <stdlib.h>
#include <string.h>

/* The index of the first range that ends after the address. */
static int first_after(const struct gr_machine_memory *m, uint64_t address)
{
    int low = 0, high = m->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->ranges[middle].hi <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A range without bytes holds no address, and the search would take it for the end of a range that
 * contains it. */
bool gr_memory_add(struct gr_machine_memory *m, uint64_t lo, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (m->count == m->room) {
        int room = m->room ? 2 * m->room : 16;
        struct gr_memory_range *more = realloc(m->ranges, (size_t)room * sizeof *more);
        if (!more)
            return false;
        m->ranges = more;
        m->room = room;
    }
    int at = first_after(m, lo);
    memmove(&m->ranges[at + 1], &m->ranges[at], (size_t)(m->count - at) * sizeof *m->ranges);
    m->ranges[at] = (struct gr_memory_range){lo, lo + bytes};
    m->count++;
    return true;
}

void gr_memory_remove(struct gr_machine_memory *m, uint64_t lo)
{
    int at = first_after(m, lo);
    if (at == m->count || m->ranges[at].lo != lo)
        return;
    m->count--;
    memmove(&m->ranges[at], &m->ranges[at + 1], (size_t)(m->count - at) * sizeof *m->ranges);
}

void gr_memory_free(struct gr_machine_memory *m)
{
    free(m->ranges);
    *m = (struct gr_machine_memory){0};
}

const struct gr_memory_range *gr_memory_find(const struct gr_machine_memory *m, uint64_t address)
{
    int at = first_after(m, address);
    return at < m->count && m->ranges[at].lo <= address ? &m->ranges[at] : NULL;
}
