/* access_history.h: which threads have accessed a granule of memory, and whether a new access is
 * ordered after theirs. SPDX-License-Identifier: MIT
 *
 * Two accesses of one granule by different threads, one of them a write, need an order between
 * them: a barrier of the block, a meeting of the warp's lanes, or a release and an acquire
 * (releases.h). Not all of a granule's history is kept. What is dropped can only hide a race, and
 * never causes a false report. */
#ifndef SIMRT_ACCESS_HISTORY_H
#define SIMRT_ACCESS_HISTORY_H

#include "simrt/tracer.h"

/* One access, as the history keeps it. */
struct gr_then {
    uint32_t phase; /* the tracer's phase; 0: none. A phase number is never used again */
    uint32_t met;   /* how often lanes of its warp had met before */
    uint32_t tick;  /* how many fences had been passed before */
    uint32_t code;
    uint16_t value; /* of a plain write: a hash of the bits written, or GR_VALUE_UNKNOWN */
    uint16_t thread : 15;
    uint16_t strong : 1; /* volatile or atomic: two such accesses do not race */
};

/* Reads by a warp's lanes between two meetings (lane_order.h). */
struct gr_reads {
    uint64_t lanes;
    uint32_t met, tick, code; /* of the first of them */
    bool strong;
};

/* A granule's history. */
struct gr_word {
    struct gr_then plain;     /* the last plain write */
    struct gr_then atomic;    /* the last atomic or volatile one since then */
    uint32_t request;         /* the warp's request that made the plain write */
    uint32_t read_phase;      /* of `reads` and `other`; 0: none */
    struct gr_reads reads[2]; /* of one warp */
    struct gr_then
        other; /* a read of another warp; any write is unordered with `reads` or with this one */
    struct gr_then past; /* a read of an earlier block */
    uint16_t read_warp;
};

/* A thread accesses a granule. */
struct gr_touch {
    struct gr_tracer *t;
    const struct gr_lane_order *order;
    const struct gr_array *array; /* null: none */
    uint64_t address;             /* in the array's own addresses (arrays.h) */
    uint32_t code, request, tick;
    uint16_t thread, value;
    uint8_t access;
    bool strong, global;
};
void gr_word_touch(const struct gr_touch *touch, struct gr_word *word);

/* Reports the plain reads concurrent with atomics that no atomic access of the same thread has
 * followed in the block. */
void gr_doubts_report(struct gr_tracer *tracer);
void gr_doubts_close(struct gr_tracer *tracer);

#endif
