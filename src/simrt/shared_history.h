/* shared_history.h: what is known of each granule of shared memory while a block runs.
 * SPDX-License-Identifier: MIT
 *
 * Most kernels never touch a word in a way that could be a race, and for those bits are enough:
 * which granules were read, and which written, since the last barrier. A request that hits such
 * bits may be a race or may not: then the log of the requests since the barrier is gone through
 * word by word, and so is everything that follows. */
#ifndef SIMRT_SHARED_HISTORY_H
#define SIMRT_SHARED_HISTORY_H

#include "simrt/access_history.h"

/* A request as it is remembered, or a meeting of lanes: GR_LOGGED_MEETING. */
struct gr_logged {
    uint32_t code, tick;
    int16_t array;
    uint16_t first_thread;
    uint8_t access, lanes, bytes;
    uint64_t mask; /* of a meeting; `lanes`: that the warp has */
    uint8_t lane[GR_TRACE_LANES];
    uint32_t offset[GR_TRACE_LANES]; /* in shared memory */
};

enum { GR_LOG_ROOM = 4096, GR_LOGGED_MEETING = 255 };

struct gr_shared {
    int granule;
    int64_t chunks;             /* of 64 granules */
    uint64_t *read, *written;   /* since the last barrier */
    uint64_t *init;             /* in this block */
    struct gr_word *words;      /* null until they are needed */
    struct gr_lane_order order; /* of what has gone through the words */
    bool careful;               /* for the rest of the launch */
    struct gr_logged *log;
    int logged;
};

#endif
