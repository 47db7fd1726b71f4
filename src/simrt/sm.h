/* sm.h: one host thread's part of a simulated launch, named after the streaming multiprocessor. It
 * runs one block at a time, one thread after another. In a traced launch it collects the threads'
 * accesses into requests of warps. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SM_H
#define SIMRT_SM_H

#include "simrt/gr_sim.h"
#include "simrt/simrt.h"

#include <stdbool.h>
#include <stddef.h>

enum { GR_THREADS = 1024, GR_RECORDS = 256 };

enum gr_fiber_state {
    GR_FIBER_READY,
    GR_FIBER_FULL,    /* its buffer of records is full and must be processed before it continues */
    GR_FIBER_BARRIER, /* waits at the block's barrier */
    GR_FIBER_WARP,    /* waits for the lanes of `mask` */
    GR_FIBER_WAIT,    /* waits until `ready` returns true */
    GR_FIBER_DONE
};

/* One access of a thread. A thread's records are in program order. */
struct gr_record {
    uint64_t address;
    uint32_t code; /* the return address of the access */
    uint8_t bytes, access;
    uint16_t value; /* GR_VALUE_STRONG or 0, and of a store a hash of the bits that it wrote, if
                       that is recorded */
};
enum {
    GR_VALUE_STRONG = 1,     /* atomic or volatile */
    GR_VALUE_THROUGH_L1 = 2, /* of an asynchronous copy of 16 bytes, which else bypasses L1 */
    GR_VALUE_UNKNOWN = 0xfffe
};

/* What a lane that waits for other lanes has called. Lanes that have called different functions do
 * not meet.
 */
enum gr_meeting {
    GR_MEETING_SYNC,
    GR_MEETING_VOTE,
    GR_MEETING_EXCHANGE,
    GR_MEETING_TOGETHER /* `own` and `work` are those of gr_sim_together */
};

/* The members that every switch accesses are at the beginning, in one cache line. */
struct gr_fiber {
    _Alignas(64) void *sp;
    enum gr_fiber_state state;
    uint32_t count; /* of records */
    struct gr_record *records;
    struct gr_sim_index index;
    uint16_t linear; /* in the block */
    uint8_t lane;
    bool killed;      /* abandoned, for an access that cannot be done */
    const void *site; /* where it waits */
    uint64_t value;
    uint64_t mask, result;
    uint64_t active; /* what its last gr_sim_active_mask returned; 0: it has not called it */
    enum gr_meeting meeting;
    int wanted; /* the lane whose value it reads; -1: a ballot */
    void *own;
    gr_sim_work *work;
    int (*ready)(void *state);
    void *ready_state;
};

struct gr_tracer; /* tracer.h */

struct gr_sm {
    struct gr_fiber *current;
    uintptr_t stacks;
    size_t stacks_bytes;
    struct gr_tracer *tracer;       /* null: the fast mode */
    void *scheduler;                /* its saved stack */
    struct gr_in_flight *in_flight; /* what is asynchronous, where machine code is executed */
    uint64_t lanes_mask;            /* of a whole warp */
    struct gr_sim_index block, block_size, grid_size;
    int threads, warp;
    const struct gr_sim_launch *launch;
    size_t stride;
    bool phase_over;   /* a barrier object has completed a phase since its warp's records were last
                          processed */
    int voted, voters; /* of the last barrier: the predicates that were not 0, and the threads */
    int arrived; /* threads at the barrier, in the fast mode; those that vote are not counted */
    long long clock;
    struct gr_sim_outcome outcome;
    int64_t barriers; /* at which warps of the block waited; the tracer resets it */
    struct gr_fiber fibers[GR_THREADS + 1]; /* the last is not a thread; it exists so that it can be
                                               prefetched */
};

/* The data that recording an access needs, separate from struct gr_sm for speed. Outside a launch
 * nothing is recorded. */
struct gr_hot {
    uintptr_t stack, stack_bytes;   /* of the running thread; accesses to it are not recorded */
    struct gr_record *cursor, *end; /* of the running fiber's records */
    bool stored;                    /* it has stored to global memory since it was last resumed */
};
extern __thread struct gr_hot gr_hot __attribute__((visibility("hidden")));

/* Of the host thread; null outside of a launch. */
extern __thread struct gr_sm *gr_sm __attribute__((visibility("hidden")));

/* Defined in the kernel's translation unit. */
extern gr_sim_stanza_fn *const gr_sim_stanzas[];

/* Allocates the launch's fibers. False: no memory. `tracer` may be null. */
bool gr_sm_open(struct gr_sm *sm, const struct gr_sim_launch *launch, struct gr_tracer *tracer);
void gr_sm_close(struct gr_sm *sm);
/* Runs the block of that number, counted with x fastest. If it fails, sm->outcome says so, and the
 * other threads of the block are abandoned. */
void gr_sm_run_block(struct gr_sm *sm, int64_t number);

/* The running thread stops here, and other threads run. */
void gr_sm_yield(enum gr_fiber_state state);
/* Likewise, at the block's barrier. */
void gr_sm_barrier(const void *site);
/* Ends the launch with that status. */
void gr_sm_fail(enum gr_sim_status status, const char *text) __attribute__((noreturn));
/* Abandons the running thread, and with it the block's further findings. */
void gr_sm_kill(void) __attribute__((noreturn));

#endif
