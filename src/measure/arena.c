/* arena.c: operands in memory shared by the parent and the worker, between guard pages.
 * SPDX-License-Identifier: MIT */
#include "measure/arena.h"

#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Wide enough to contain the accesses of a kernel that goes one row too far. */
static const uint64_t guard_bytes = 16 << 20;

static uint64_t round_to_pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

enum gradus_status gr_arena_create(struct gr_arena *arena, struct gradus_error *error)
{
    *arena = (struct gr_arena){.fd = memfd_create("gradus-operands", MFD_CLOEXEC)};
    if (arena->fd == -1)
        return gr_fail(error, GRADUS_IO, "no shared memory: memfd_create: %s", strerror(errno));
    return GRADUS_OK;
}

uint64_t gr_memory_available(void)
{
    uint64_t kilobytes = UINT64_MAX / 1024;
    FILE *f = fopen("/proc/meminfo", "r");
    if (!f)
        return UINT64_MAX;
    char line[128];
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kilobytes) == 1)
            break;
    fclose(f);
    return kilobytes * 1024;
}

enum gradus_status gr_memory_check(uint64_t bytes, struct gradus_error *error)
{
    uint64_t available = gr_memory_available();
    if (bytes <= available / 10 * 9)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_NO_MEMORY,
                   "the operands need %.1f GB and %.1f GB are free: choose a smaller size",
                   (double)bytes * 1e-9, (double)available * 1e-9);
}

static enum gradus_status resize_file(struct gr_arena *arena, uint64_t total,
                                      struct gradus_error *error)
{
    /* Truncated to 0 first, which releases the pages of the previous problem and makes the new
     * ones zero. */
    if (ftruncate(arena->fd, 0) != 0)
        return gr_fail(error, GRADUS_IO, "shared memory: %s", strerror(errno));
    enum gradus_status status = gr_memory_check(total, error);
    if (status != GRADUS_OK)
        return status;
    if (ftruncate(arena->fd, (off_t)total) != 0)
        return gr_fail(error, GRADUS_NO_MEMORY, "%.1f GB of shared memory: %s",
                       (double)total * 1e-9, strerror(errno));
    return GRADUS_OK;
}

static void unmap(struct gr_arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->reserved);
    arena->base = NULL;
    arena->plan.count = 0;
}

enum gradus_status gr_arena_map(struct gr_arena *arena, const struct gr_arena_plan *plan,
                                bool resize, struct gradus_error *error)
{
    unmap(arena);
    uint64_t total = 0;
    for (int i = 0; i < plan->count; i++)
        total += round_to_pages(plan->bytes[i] ? plan->bytes[i] : 1);
    enum gradus_status status = resize ? resize_file(arena, total, error) : GRADUS_OK;
    if (status != GRADUS_OK)
        return status;
    arena->plan = *plan;
    arena->reserved = total + guard_bytes * (uint64_t)(plan->count + 1);
    arena->base =
        mmap(NULL, arena->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena->base == MAP_FAILED) {
        arena->base = NULL;
        return gr_fail_memory(error, "an address range for the operands", arena->reserved);
    }
    unsigned char *at = arena->base + guard_bytes;
    uint64_t offset = 0;
    for (int i = 0; i < plan->count; i++) {
        arena->size[i] = round_to_pages(plan->bytes[i] ? plan->bytes[i] : 1);
        arena->segment[i] = mmap(at, arena->size[i], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                 arena->fd, (off_t)offset);
        if (arena->segment[i] == MAP_FAILED) {
            unmap(arena);
            return gr_fail_memory(error, "operands", total);
        }
        at += arena->size[i] + guard_bytes;
        offset += arena->size[i];
    }
    return GRADUS_OK;
}

void gr_arena_close(struct gr_arena *arena)
{
    unmap(arena);
    if (arena->fd >= 0)
        close(arena->fd);
    arena->fd = -1;
}

bool gr_arena_locate(const struct gr_arena *arena, const void *address, int *segment,
                     int64_t *offset)
{
    const unsigned char *p = address;
    if (!arena->base || p < arena->base || p >= arena->base + arena->reserved)
        return false;
    uint64_t nearest = UINT64_MAX;
    for (int i = 0; i < arena->plan.count; i++) {
        const unsigned char *start = arena->segment[i], *end = start + arena->size[i];
        uint64_t distance = p < start ? (uint64_t)(start - p) : p >= end ? (uint64_t)(p - end) : 0;
        if (distance < nearest) {
            nearest = distance;
            *segment = i;
            *offset = p - start;
        }
    }
    return nearest != UINT64_MAX;
}
