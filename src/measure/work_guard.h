/* work_guard.h: the buffers of the `work` lines of a trial on the host, each in memory of its own
 * whose end is the buffer's:
 *
 * | no access 16 MB | canary | buffer | canary | no access 16 MB |
 *
 * The canary before has at least a page, the one behind what the buffer's alignment leaves. Timed
 * products have buffers without all this.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_WORK_GUARD_H
#define MEASURE_WORK_GUARD_H

#include "measure/protocol.h"

/* The alignment of each buffer in bytes, in trials. */
enum { GR_WORK_ALIGNMENT = 64 };

struct gr_work_guard {
    int count;
    struct gr_guarded {
        unsigned char *base; /* of the reservation; null: none */
        uint64_t reserved;
        unsigned char *first, *end; /* the pages that may be accessed */
        unsigned char *buffer;
        uint64_t bytes;
    } of[GR_MAX_WORKS];
};

/* Makes the item's buffers, full of canary, and sets *scratch to them. NO_MEMORY. */
enum gradus_status gr_work_guard_make(struct gr_work_guard *guard, const struct gr_work_item *item,
                                      struct gr_scratch *scratch, struct gradus_error *error);
/* Sets for each buffer how far before its start and behind its end something was written. */
void gr_work_guard_check(const struct gr_work_guard *guard, struct gr_work_written *written);
/* The buffer in whose memory, or beside it, the address is, and its distance from the buffer's
 * start; false: in none. It may be called by a signal handler. */
bool gr_work_guard_locate(const struct gr_work_guard *guard, const void *address, int *work,
                          int64_t *offset);
void gr_work_guard_free(struct gr_work_guard *guard);

#endif
