/* sm.h: one host thread's part of a simulated launch, named after the streaming multiprocessor: it
 * runs one block at a time, thread by thread, and in a traced launch gathers what they touch into
 * requests of warps. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SM_H
#define SIMRT_SM_H

#include "simrt/gr_sim.h"
#include "simrt/simrt.h"

#include <stdbool.h>
#include <stddef.h>

enum { GR_THREADS = 1024, GR_RECORDS = 256 };

enum gr_fiber_state {
    GR_FIBER_READY,
    GR_FIBER_FULL,    /* its records must be taken away before it can go on */
    GR_FIBER_BARRIER, /* waits for the block */
    GR_FIBER_WARP,    /* waits for the lanes of `mask` */
    GR_FIBER_WAIT,    /* waits until `ready` */
    GR_FIBER_DONE
};

/* What a thread touched, in its order. */
struct gr_record {
    uint64_t address;
    uint32_t code; /* the return address of the access */
    uint8_t bytes, access;
    uint16_t value; /* GR_VALUE_STRONG or not, and of a store what stands for the bits that it
                       wrote, where that is noted */
};
enum { GR_VALUE_STRONG = 1 /* atomic, or volatile */, GR_VALUE_UNKNOWN = 0xfffe };

/* What lanes that wait for one another have called; another than the others' is waited for in vain.
 */
enum gr_meeting { GR_MEETING_SYNC, GR_MEETING_VOTE, GR_MEETING_EXCHANGE };

/* What every switch touches comes first: one line of the cache. */
struct gr_fiber {
    _Alignas(64) void *sp;
    enum gr_fiber_state state;
    uint32_t count; /* of records */
    struct gr_record *records;
    struct gr_sim_index index;
    uint16_t linear; /* in the block */
    uint8_t lane;
    bool killed;      /* by an access that cannot be done */
    const void *site; /* where it waits */
    uint64_t value;
    uint64_t mask, result;
    enum gr_meeting meeting;
    int wanted; /* the lane whose value it asks for; -1: a ballot */
    int (*ready)(void *state);
    void *ready_state;
};

struct gr_tracer; /* tracer.h */

struct gr_sm {
    struct gr_fiber *current;
    uintptr_t stacks;
    size_t stacks_bytes;
    struct gr_tracer *tracer; /* null: fast */
    void *scheduler;          /* its saved stack */
    uint64_t lanes_mask;      /* of a whole warp */
    struct gr_sim_index block, block_size, grid_size;
    int threads, warp;
    const struct gr_sim_launch *launch;
    size_t stride;
    bool phase_over;   /* of a barrier object, since its warp's records were last taken */
    int voted, voters; /* of the last barrier: predicates that were not 0, threads */
    int arrived;       /* at the barrier, in a fast launch; those that vote are not counted */
    long long clock;
    struct gr_sim_outcome outcome;
    int64_t barriers; /* that warps of the block waited at; the tracer takes them */
    struct gr_fiber fibers[GR_THREADS + 1]; /* the last is none: it may be looked at */
};

/* What a record of an access needs, kept apart for the sake of speed. Outside of a launch nothing
 * is recorded. */
struct gr_hot {
    uintptr_t stack, stack_bytes;   /* the running thread's own: accesses of it are dropped */
    struct gr_record *cursor, *end; /* of the running fiber's records */
    bool stored;                    /* to global memory, since it last began to run */
};
extern __thread struct gr_hot gr_hot __attribute__((visibility("hidden")));

/* The host thread's own; null outside of a launch. */
extern __thread struct gr_sm *gr_sm __attribute__((visibility("hidden")));

/* From the translation unit. */
extern gr_sim_stanza_fn *const gr_sim_stanzas[];

/* Room for the launch's threads. False: no memory. `tracer` may be null. */
bool gr_sm_open(struct gr_sm *sm, const struct gr_sim_launch *launch, struct gr_tracer *tracer);
void gr_sm_close(struct gr_sm *sm);
/* Runs the block of that number (x fastest). sm->outcome tells when it failed; the other threads of
 * the block are abandoned then. */
void gr_sm_run_block(struct gr_sm *sm, int64_t number);

/* The running thread stops here, and others go on. */
void gr_sm_yield(enum gr_fiber_state state);
/* Likewise, at the block's barrier. */
void gr_sm_barrier(const void *site);
/* Ends the launch. */
void gr_sm_fail(enum gr_sim_status status, const char *text) __attribute__((noreturn));
/* Abandons the running thread, and with it the block's further findings. */
void gr_sm_kill(void) __attribute__((noreturn));

#endif
