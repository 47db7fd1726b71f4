/* shared_words.h: what is known of each granule of shared memory while a block runs. SPDX-License-Identifier: MIT
 *
 * Most kernels never touch a word in a way that could be a race, and for those bits are enough: which granules were
 * read, and which written, since the last barrier. A request that hits such bits may be a race or may not: then the log
 * of the requests since the barrier is gone through word by word, and so is everything that follows. */
#ifndef SIMRT_SHARED_WORDS_H
#define SIMRT_SHARED_WORDS_H

#include "simrt/tracer.h"

/* A granule's history since the last barrier, thread by thread. */
struct gr_word {
    uint32_t write_phase, read_phase; /* the tracer's; 0: never. Phases never come again */
    uint32_t write_code, read_code;
    uint16_t write_met, read_met; /* the warp's */
    uint16_t write_thread;
    uint16_t read_thread : 14;
    uint16_t many_read : 1;    /* by other threads, too */
    uint16_t many_warps : 1;   /* and of other warps */
    uint16_t other_read : 14;  /* one of them */
    uint16_t write_atomic : 1; /* the last write was */
};

/* A request as it is remembered. */
struct gr_logged {
    uint32_t code;
    int16_t array;
    uint16_t met;
    uint16_t first_thread;
    uint8_t access, lanes, bytes;
    uint8_t lane[GR_TRACE_LANES];
    uint32_t offset[GR_TRACE_LANES]; /* in shared memory */
};

enum { GR_LOG_ROOM = 4096 };

struct gr_shared {
    int granule;
    int64_t chunks;           /* of 64 granules */
    uint64_t *read, *written; /* since the last barrier */
    uint64_t *init;           /* in this block */
    struct gr_word *words;    /* null until they are needed */
    bool careful;             /* for the rest of the launch */
    struct gr_logged *log;
    int logged;
};

/* One request, word by word (observe_races.c). */
void gr_words_touch(struct gr_tracer *tracer, const struct gr_logged *request);

#endif
