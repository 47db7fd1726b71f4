/* access_history.h: who has touched a granule of memory, and whether who touches it now comes after
 * them. SPDX-License-Identifier: MIT
 *
 * Two accesses of one granule by different threads, one of them a write, need an order between
 * them: a barrier of the block, a meeting of the warp's lanes, or a release and an acquire
 * (releases.h). An order that is not there is never read into a history that is no longer kept:
 * what is forgotten can only make a race be missed. */
#ifndef SIMRT_ACCESS_HISTORY_H
#define SIMRT_ACCESS_HISTORY_H

#include "simrt/tracer.h"

/* One access, as it is remembered. */
struct gr_then {
    uint32_t phase; /* the tracer's; 0: none. Phases never come again */
    uint32_t met;   /* the meetings of its warp before it */
    uint32_t tick;  /* the fences of the tracer before it */
    uint32_t code;
    uint16_t value; /* of a plain write: GR_VALUE_UNKNOWN, or what stands for the bits written */
    uint16_t thread : 15;
    uint16_t strong : 1; /* volatile, or atomic: no race among its like */
};

/* Reads of a warp's lanes between two of its meetings. */
struct gr_reads {
    uint64_t lanes;
    uint32_t met, tick, code; /* of the first of them */
    bool strong;
};

/* A granule's history. */
struct gr_word {
    struct gr_then plain;     /* the last plain write */
    struct gr_then atomic;    /* the last atomic or volatile one since then */
    uint32_t request;         /* that made the plain one */
    uint32_t read_phase;      /* of `reads` and `other`; 0: none */
    struct gr_reads reads[2]; /* of one warp */
    struct gr_then other; /* a read of another warp: any write is unordered with one of the two */
    struct gr_then past;  /* a read of an earlier block */
    uint16_t read_warp;
};

/* A thread touches a granule. */
struct gr_touch {
    struct gr_tracer *t;
    const struct gr_lane_order *order;
    const struct gr_array *array; /* null: none */
    uint64_t address;             /* as the array counts it */
    uint32_t code, request, tick;
    uint16_t thread, value;
    uint8_t access;
    bool strong, global;
};
void gr_word_touch(const struct gr_touch *touch, struct gr_word *word);

/* Tells of those plain reads beside atomics that no atomic of the same thread has followed in the
 * block. */
void gr_doubts_report(struct gr_tracer *tracer);
void gr_doubts_close(struct gr_tracer *tracer);

#endif
