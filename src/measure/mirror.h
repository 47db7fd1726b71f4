/* mirror.h: where the worker's operands are: on the host in the arena and the rotation
 * themselves, on a device in blocks of its memory that mirror them with the same offsets. With
 * it, trials and timing use the same code for both. SPDX-License-Identifier: MIT */
#ifndef MEASURE_MIRROR_H
#define MEASURE_MIRROR_H

#include "measure/protocol.h"

enum { GR_MIRRORS = GR_ROTATION_C + 1 };

struct gr_mirror {
    const struct gr_backend_memory *memory; /* null: no device; host addresses are used */
    void *device;                           /* opened by the backend */
    struct gr_arena arena;
    struct gr_rotation rotation; /* used without a device */
    struct {
        unsigned char *address;
        uint64_t bytes;
    } block[GR_MIRRORS]; /* with a device: A, B, C of a trial, unused, A, B, C of the rotation */
};

/* The address that is passed to a kernel. */
unsigned char *gr_mirror_at(const struct gr_mirror *mirror, struct gr_arena_place place);

/* Before a trial: copies its operands, including canaries, to the device. */
enum gradus_status gr_mirror_send(struct gr_mirror *mirror, const struct gr_work_item *item,
                                  struct gradus_error *error);
/* After a trial: copies them back to the arena, so that the parent sees everything that was
 * written. */
enum gradus_status gr_mirror_fetch(struct gr_mirror *mirror, const struct gr_work_item *item,
                                   struct gradus_error *error);
/* Copies C to the item's snapshot, if it has one. */
enum gradus_status gr_mirror_snapshot(struct gr_mirror *mirror, const struct gr_work_item *item,
                                      struct gradus_error *error);
/* Fills C with finite garbage. Otherwise a GEMM would find the result of the previous one in C,
 * and a kernel that skips elements which are already correct would be timed for that. */
enum gradus_status gr_mirror_overwrite(struct gr_mirror *mirror, const struct gr_work_item *item,
                                       struct gradus_error *error);
/* Copies the request's operands into some sets of the rotation. */
enum gradus_status gr_mirror_fill(struct gr_mirror *mirror, const struct gr_request *request,
                                  struct gradus_error *error);
/* Allocates a `work` buffer of that many bytes; `old` is freed. */
enum gradus_status gr_mirror_scratch(struct gr_mirror *mirror, uint64_t bytes, void **buffer,
                                     struct gradus_error *error);

#endif
