/* mirror.h: the operands' place on the worker's side: the arena and the rotation themselves, or
 * blocks of a device's own memory that mirror them, offset by offset. SPDX-License-Identifier: MIT
 */
#ifndef MEASURE_MIRROR_H
#define MEASURE_MIRROR_H

#include "measure/protocol.h"

enum { GR_MIRRORS = GR_ROTATION_C + 1 };

struct gr_mirror {
    const struct gr_backend_memory *memory; /* null: no device, the host's own addresses serve */
    void *device;                           /* what the backend opened */
    struct gr_arena arena;
    struct gr_rotation rotation; /* without a device */
    struct {
        unsigned char *address;
        uint64_t bytes;
    } block[GR_MIRRORS]; /* with one: A, B, C of a trial, unused, A, B, C of the rotation */
};

/* The address that a kernel is given. */
unsigned char *gr_mirror_at(const struct gr_mirror *mirror, struct gr_arena_place place);

/* Before a trial: its operands, canaries included, to the device. */
enum gradus_status gr_mirror_send(struct gr_mirror *mirror, const struct gr_work_item *item,
                                  struct gradus_error *error);
/* After it: back to the arena, so that the parent sees all that was written. */
enum gradus_status gr_mirror_fetch(struct gr_mirror *mirror, const struct gr_work_item *item,
                                   struct gradus_error *error);
/* C to the item's snapshot, if it wants one. */
enum gradus_status gr_mirror_snapshot(struct gr_mirror *mirror, const struct gr_work_item *item,
                                      struct gradus_error *error);
/* Finite garbage in C, so that no product finds its own result there and leaves it: what a kernel
 * that looks before it computes would be timed at. */
enum gradus_status gr_mirror_spoil(struct gr_mirror *mirror, const struct gr_work_item *item,
                                   struct gradus_error *error);
/* The request's operands into some sets of the rotation. */
enum gradus_status gr_mirror_fill(struct gr_mirror *mirror, const struct gr_request *request,
                                  struct gradus_error *error);
/* Room for a `work` buffer of that many bytes; `old` is released. */
enum gradus_status gr_mirror_scratch(struct gr_mirror *mirror, uint64_t bytes, void **buffer,
                                     struct gradus_error *error);

#endif
