/* arena.h: the memory that the parent and the worker share: operands between pages that fault.
 *
 *     | no access 16 MB | A … slack | no access 16 MB | B … slack | no access | C … slack | …
 *
 * Both processes map the same memfd by the same plan, so an operand is a (segment, offset) pair.
 * The slack, and the padding between rows, hold a canary; what a kernel writes there the parent
 * sees, and what it touches beyond the pages kills it at the spot. SPDX-License-Identifier: MIT */
#ifndef MEASURE_ARENA_H
#define MEASURE_ARENA_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

enum { GR_MAX_SEGMENTS = 64 };

/* Canary on each side of an operand, where its segment has room for it. */
enum { GR_ZONE_BYTES = 65536 };

/* The plan: bytes wanted in each segment. The mapping rounds them up to pages. */
struct gr_arena_plan {
    int count;
    uint64_t bytes[GR_MAX_SEGMENTS];
};

struct gr_arena {
    int fd; /* the memfd; -1: none */
    struct gr_arena_plan plan;
    unsigned char *base; /* of the whole reservation */
    uint64_t reserved;
    unsigned char *segment[GR_MAX_SEGMENTS];
    uint64_t size[GR_MAX_SEGMENTS]; /* rounded up to pages */
};

/* Bytes that can be had without swapping, or UINT64_MAX where the system does not say. */
uint64_t gr_memory_available(void);

/* A memfd of no size yet. */
enum gradus_status gr_arena_create(struct gr_arena *arena, struct gradus_error *error);
/* Resizes the memfd to the plan (when `resize`: the parent) and maps it anew. Old contents are not
 * kept. NO_MEMORY when the machine has not that much to give. */
enum gradus_status gr_arena_map(struct gr_arena *arena, const struct gr_arena_plan *plan,
                                bool resize, struct gradus_error *error);
void gr_arena_unmap(struct gr_arena *arena);
void gr_arena_close(struct gr_arena *arena);

/* NO_MEMORY, in one line, when the machine could not give `bytes` without swapping. */
enum gradus_status gr_memory_check(uint64_t bytes, struct gradus_error *error);

/* Where an address lies: the segment it is nearest to and the signed distance in bytes from that
 * segment's start. False when it is not in the reservation. */
bool gr_arena_locate(const struct gr_arena *arena, const void *address, int *segment,
                     int64_t *offset);

#endif
