/* shared_history.h: the access history of shared memory while a block runs.
 * SPDX-License-Identifier: MIT
 *
 * Two bits for each granule are enough for most kernels: was it read, and was it written, since the
 * last barrier? A request that finds such a bit set may or may not be a race. From then on the full
 * history of each granule is kept, beginning with the logged requests since that barrier. */
#ifndef SIMRT_SHARED_HISTORY_H
#define SIMRT_SHARED_HISTORY_H

#include "simrt/access_history.h"

/* A request in the log, or a meeting of lanes (GR_LOGGED_MEETING). */
struct gr_logged {
    uint32_t code, tick;
    int16_t array;
    uint16_t first_thread;
    uint8_t access, bytes;
    uint8_t present; /* of a meeting: lanes of the warp */
    int pattern;     /* of a request: the lanes' offsets from `first`, gr_shared.patterns */
    uint64_t lanes;  /* a mask */
    uint64_t first;  /* the first lane's address */
};

enum { GR_LOG_ROOM = 4096, GR_LOGGED_MEETING = 255 };

struct gr_shared {
    int granule, granule_shift; /* bytes, and their logarithm */
    uint64_t extent;            /* bytes of shared memory */
    int64_t chunks;             /* of 64 granules */
    uint64_t *read, *written;   /* since the last barrier */
    uint64_t *init;             /* in this block */
    struct gr_word *words;      /* null until they are needed */
    struct gr_lane_order order; /* the order of the lanes at what was added to `words` last */
    bool careful;               /* `words` are kept, for the rest of the launch */
    struct gr_logged *log;
    int logged;
    int64_t (*patterns)[GR_TRACE_LANES];
    int pattern_count;
};

/* Marks those bytes of shared memory as written: by something other than an access of the block's
 * threads. */
void gr_shared_written(struct gr_tracer *tracer, uint32_t offset, uint32_t bytes);

#endif
