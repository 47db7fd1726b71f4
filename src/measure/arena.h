/* arena.h: the memory that the parent and the worker share: operands between guard pages.
 *
 * | no access 16 MB | A … slack | no access 16 MB | B … slack | no access | C … slack | …
 *
 * Both processes map the same memfd with the same plan, so an operand is a pair (segment,
 * offset). The slack and the padding between rows hold a canary: the parent detects what a
 * kernel writes there, and an access beyond the pages kills the worker at once.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_ARENA_H
#define MEASURE_ARENA_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

enum { GR_MAX_SEGMENTS = 64 };

/* The bytes of canary on each side of an operand, if its segment has room for them. */
enum { GR_ZONE_BYTES = 65536 };

/* The bytes needed in each segment. The mapping rounds them up to pages. */
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

/* The bytes available without swapping, or UINT64_MAX if the system does not report them. */
uint64_t gr_memory_available(void);

/* Creates a memfd of size 0. */
enum gradus_status gr_arena_create(struct gr_arena *arena, struct gradus_error *error);
/* Resizes the memfd to the plan (if `resize`, in the parent) and maps it again. The old content
 * is lost. NO_MEMORY if the machine does not have that much available. */
enum gradus_status gr_arena_map(struct gr_arena *arena, const struct gr_arena_plan *plan,
                                bool resize, struct gradus_error *error);
void gr_arena_close(struct gr_arena *arena);

/* NO_MEMORY, with a one-line message, if the machine cannot provide `bytes` without swapping. */
enum gradus_status gr_memory_check(uint64_t bytes, struct gradus_error *error);

/* The place of an address: the nearest segment, and the signed distance in bytes from its start.
 * False if the address is outside the reservation. */
bool gr_arena_locate(const struct gr_arena *arena, const void *address, int *segment,
                     int64_t *offset);

#endif
