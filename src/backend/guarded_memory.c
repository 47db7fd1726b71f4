/* guarded_memory.c: places each allocation in the middle of an inaccessible mapping.
 * SPDX-License-Identifier: MIT */
#include "backend/guarded_memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t widest_gap_bytes = 1ULL << 37;

static struct island {
    struct island *next;
    void *address, *whole;
    uint64_t whole_bytes;
} * islands;

static uint64_t pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page) / page * page; /* at least one page */
}

static void *map(struct island *i, uint64_t bytes, uint64_t gap)
{
    i->whole_bytes = pages(bytes) + 2 * gap;
    i->whole =
        mmap(NULL, i->whole_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (i->whole == MAP_FAILED)
        return NULL;
    i->address = (char *)i->whole + gap;
    if (mprotect(i->address, pages(bytes), PROT_READ | PROT_WRITE) == 0)
        return i->address;
    munmap(i->whole, i->whole_bytes);
    return NULL;
}

void *gr_guarded_reserve(uint64_t bytes)
{
    struct island *made = calloc(1, sizeof *made);
    void *address = NULL;
    for (uint64_t gap = widest_gap_bytes; made && !address && gap >= pages(1); gap /= 2)
        address = map(made, bytes, gap);
    if (!address) {
        free(made);
        return NULL;
    }
    made->next = islands;
    islands = made;
    return address;
}

void gr_guarded_release(void *address)
{
    for (struct island **at = &islands; address && *at; at = &(*at)->next)
        if ((*at)->address == address) {
            struct island *found = *at;
            *at = found->next;
            munmap(found->whole, found->whole_bytes);
            free(found);
            return;
        }
}
