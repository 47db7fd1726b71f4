/* tracer.h: a traced launch. The accesses that threads record are combined into requests of warps,
 * which are passed to the observers. SPDX-License-Identifier: MIT */
#ifndef SIMRT_TRACER_H
#define SIMRT_TRACER_H

#include "simrt/rules.h"
#include "simrt/arrays.h"
#include "simrt/lane_order.h"
#include "simrt/sm.h"

#include <pthread.h>
#include <stdatomic.h>

/* Kinds of records in addition to those of enum gr_access: the shared side of an asynchronous copy,
 * which writes shared memory but is no request of a warp; the next iteration of a loop and a fence,
 * which are no accesses. The bytes of a fence are its scope. */
enum { GR_TRACE_ARRIVES = 4, GR_TRACE_ITERATION = 5, GR_TRACE_FENCE = 6 };

enum {
    GR_SITES = 2048,
    GR_SIM_FAULTS = 256,
    GR_FRESH = 64,       /* sectors that are reported to the watch together */
    GR_WILD = GR_THREADS /* each thread is abandoned at most once */
};

/* The counts of a site in one block, or their sums. */
struct gr_counts {
    int64_t requests, lanes, sectors, sectors_ideal, distinct_sectors, wavefronts, wavefronts_ideal;
};
enum { GR_COUNTS = sizeof(struct gr_counts) / sizeof(int64_t) };

/* An access of the program to an array. All host threads share these. */
struct gr_site {
    uint32_t code;
    uint8_t access, space;
    int16_t array; /* -1: none */
    bool inside;   /* the code has accessed that array itself, and not only memory near it */
    int bytes, source_bytes;
    int line, column, file;
    /* The request with the highest cost so far. The cost is read outside of the run's lock, to see
     * whether the lock is needed. */
    atomic_int worst;
    int worst_sectors, worst_wavefronts;
    int64_t pattern[GR_TRACE_LANES];
    int pattern_block[3], pattern_thread;
};

/* What a tracer keeps of a site: the shape of the last request, so that the costs of an equal one
 * are not computed again. The members that every request needs are at the beginning, in few cache
 * lines, since the registers of the simulated warps take most of the cache. */
struct gr_shape {
    int lanes, bytes;
    int64_t lowest, highest; /* of the offsets */
    uint64_t bits;           /* all bits that any offset has */
    /* The block and the first lane's sector of the last request whose sectors were marked
     * (observe_traffic.c). */
    uint64_t marked;
    uint32_t marked_in;
    bool touched;
    int16_t wavefronts, wavefronts_ideal; /* 0: not known yet */
    int16_t ideal;
    struct gr_counts now; /* of the running block */
    uint32_t logged_in;   /* the phase whose log has the offsets as number `pattern` */
    int pattern;
    int walked; /* its number among the shapes that the launch keeps (walks.h) + 1; 0: not known yet
                 */
    /* Shared memory: the granules that the lanes access, in chunks of 64, counted from the lowest
     * granule. 0: not known yet; -1: too many. */
    int chunk_count;
    struct {
        int32_t index;
        uint64_t bits;
    } chunks[GR_TRACE_LANES];
    int64_t offset[GR_TRACE_LANES]; /* from the first active lane's address */
    /* by the first active lane's address modulo the size of a sector; 0: not known yet */
    int16_t sectors[GR_SECTOR_MOST];
    uint64_t walked_lanes; /* for these lanes */
    /* a bit for each address modulo the size of a sector whose sectors were passed on */
    uint64_t walked_costs[GR_SECTOR_MOST / 64];
};

/* One execution of an access by the lanes of a warp. */
enum { GR_PAST_L1_BYTES = 16 }; /* only asynchronous copies of this size bypass L1 */

struct gr_request {
    int index; /* of the site */
    struct gr_site *site;
    struct gr_shape *shape;
    const struct gr_array *array; /* null: none */
    uint8_t access, space;
    int bytes, lanes;
    bool past_l1; /* an asynchronous copy that bypasses L1 */
    /* Of each active lane. Addresses in shared memory are relative to its start (gr_shared_base).
     */
    const uint64_t *address;
    const uint8_t *lane;  /* ascending */
    uint64_t mask;        /* the same lanes */
    const uint8_t *kept;  /* how many of the bytes each lane of the warp accesses; null: all */
    int first_thread;     /* of the warp */
    uint64_t lowest, end; /* of the bytes accessed */
};

/* The source addresses of the last asynchronous copies past L1 that a warp requested. */
struct gr_copied {
    int index, sectors; /* index: of the site + 1; 0: none */
    uint64_t lanes;     /* a mask */
    uint64_t from[GR_TRACE_LANES];
};

typedef void gr_observe_fn(struct gr_tracer *tracer, const struct gr_request *request);
enum { GR_OBSERVERS = 16 }; /* of one space, at most */

struct gr_site_table; /* sites.h */
struct gr_pending;    /* merge.c */
struct gr_shared;     /* shared_history.h */
struct gr_releases;
struct gr_globals;
struct gr_doubts;
struct gr_walking; /* observe_walks.c */

struct gr_tracer {
    struct gr_sm *sm;
    struct gr_run *run;
    gr_observe_fn *global[GR_OBSERVERS + 1], *in_shared[GR_OBSERVERS + 1]; /* ended by null */
    struct gr_shape *shapes;                                               /* GR_SITES */
    int *touched; /* the sites that the block has accessed */
    int touched_count;
    struct gr_site_table *sites;
    struct gr_pending *pending;
    struct gr_shared *shared;
    struct gr_walking *walking;
    /* For each sector of a global array, the stamp of the last block that accessed it. */
    unsigned char *stamps[GR_ARRAYS], stamp;
    struct gr_record *records;
    uint32_t serial;      /* of the block, from 1 */
    uint32_t phase;       /* counts barriers passed and blocks begun; never 0 */
    uint32_t first_phase; /* of the block */
    uint32_t tick;        /* fences passed */
    bool fenced;          /* a fence was passed; before that, nothing synchronises */
    struct gr_lane_order order;
    struct gr_releases *releases; /* releases.h */
    struct gr_globals
        *globals; /* global_history.h; null: races through global memory are not searched for */
    struct gr_doubts *doubts; /* access_history.h */
    int64_t accesses;
    /* Of an engine that executes machine code: what the running block did at each instruction; null
     * of others. `first_code`: of the first instruction, as in records. */
    struct gr_executed *executed;
    int instruction_count;
    uint32_t first_code;
    uint32_t
        fresh; /* sectors accessed for the first time in their block; only these are progress */
    struct gr_copied copied;
    bool abandoned; /* a thread of the block was abandoned, and what follows from that is not
                       reported */
    /* The accesses for which threads of the block were abandoned. Which array they are attributed
     * to is known after the other lanes' requests. */
    struct gr_wild {
        struct gr_record record;
        int thread;
        bool writes, recorded;
    } wild[GR_WILD];
    int wild_count;
};

/* A launch, shared by all host threads. What is written is guarded by `lock`. */
struct gr_run {
    const struct gr_sim_job *job;
    const struct gr_sim_line *lines;
    const struct gr_sim_width *widths;
    uint32_t *origins; /* for each row of `lines`: origins.c */
    const struct gr_sim_job_launch *launch;
    unsigned char
        mark; /* the value of gr_array.written for what this launch writes: its number, from 1 */
    bool each_once;     /* every block runs exactly once */
    atomic_bool fenced; /* a thread has passed a fence, so blocks may hand data to other blocks */
    int64_t stop_ns; /* processor time of the process after which no block begins, except for one of
                        each class */
    struct gr_site *sites;
    int site_count;
    struct gr_trace_fault *faults;
    uint32_t *fault_codes; /* two codes for each fault */
    int fault_count;
    bool faults_dropped;
    atomic_bool abandoned;      /* a thread was abandoned in some block */
    struct gr_classes *classes; /* classes.h */
    struct gr_trace_walks walks;
    pthread_mutex_t lock;
};

/* ---- The observers' interface. ---- */

/* An observer is a file observe_<name>.c that defines gr_observe_<name>; the build finds it by its
 * name. Observers do not depend on one another, so that their order does not matter. Any function
 * may be null. */
struct gr_observer {
    bool (*open)(struct gr_tracer *tracer); /* allocates its memory; false: there is none */
    void (*close)(struct gr_tracer *tracer);
    void (*block)(struct gr_tracer *tracer);      /* a block begins */
    void (*block_ends)(struct gr_tracer *tracer); /* after the last request of the block */
    gr_observe_fn *global;                        /* a request to global memory */
    gr_observe_fn *shared;                     /* to shared memory, or copies that arrive there */
    void (*barrier)(struct gr_tracer *tracer); /* the block's threads have passed a barrier */
    /* The lanes of `mask` have met (__syncwarp, a shuffle, a vote); `present`: lanes of the warp.
     */
    void (*met)(struct gr_tracer *tracer, int warp, uint64_t mask, int present);
    void (*done)(struct gr_run *run); /* the launch has ended */
};
extern const struct gr_observer *const gr_observe_all[]; /* a null pointer ends it */

/* Ensures that the request's shape has the costs of the request: for global memory `ideal`, and the
 * sectors at its offset in a sector; for shared memory the wavefronts. */
void gr_request_cost_count(const struct gr_request *request, int warp);
static inline void gr_request_cost(const struct gr_request *q, int warp)
{
    const struct gr_shape *s = q->shape;
    bool known = q->space == GR_SPACE_SHARED ? s->wavefronts != 0
                                             : s->sectors[gr_in_sector(q->address[0])] != 0;
    if (!known)
        gr_request_cost_count(q, warp);
}

/* ---- Called by the SM. ---- */

bool gr_tracer_open(struct gr_tracer *tracer, struct gr_sm *sm, struct gr_run *run);
void gr_tracer_close(struct gr_tracer *tracer);
void gr_trace_block_begins(struct gr_tracer *tracer, struct gr_sm *sm);
void gr_trace_block_ends(struct gr_tracer *tracer, struct gr_sm *sm);
/* The lanes have stopped: processes their records, and resumes those that stopped only because
 * their buffers were full. */
void gr_trace_warp(struct gr_tracer *tracer, struct gr_sm *sm, struct gr_fiber *lanes, int count);
/* The lanes of `mask` have met: what they did before is ordered before what they do after. The warp
 * has `present` lanes. */
void gr_trace_warp_met(struct gr_tracer *tracer, int warp, uint64_t mask, int present);
/* Two lanes wait for one another in calls that do not meet. */
void gr_trace_apart(struct gr_tracer *tracer, const struct gr_fiber *one,
                    const struct gr_fiber *other);
/* The running thread calls a warp-level function with a mask that does not name its own lane. */
void gr_trace_unnamed(struct gr_tracer *tracer, uint64_t mask, const void *site);
/* A lane reads by a shuffle the value of another that its mask names and that has exited. */
void gr_trace_absent(struct gr_tracer *tracer, const struct gr_fiber *reads,
                     const struct gr_fiber *exited);
/* The last thread has arrived at a barrier object, and no thread has been released from it yet. */
void gr_trace_phase(struct gr_tracer *tracer);
/* No lane of the warp can continue for now. */
void gr_trace_warp_waits(struct gr_tracer *tracer);
/* Threads are released from a barrier. `waits` is the first that waits there; `stuck` waits for
 * something else, so that none can be released; `exited` has exited. The last two may be null. */
void gr_trace_barrier(struct gr_tracer *tracer, struct gr_sm *sm, const struct gr_fiber *waits,
                      const struct gr_fiber *stuck, const struct gr_fiber *exited);

/* Records an access of the running thread. */
void gr_trace_record(uintptr_t address, int bytes, int access, const void *site);

/* ---- Called by parts of the tracer. ---- */

bool gr_merge_open(struct gr_tracer *tracer);
void gr_merge_close(struct gr_tracer *tracer);
bool gr_sites_open(struct gr_tracer *tracer);
void gr_sites_close(struct gr_tracer *tracer);
void gr_trace_launch_done(struct gr_run *run);
/* A return address as records hold it. Traced programs are linked at a fixed address below 4 GB. */
static inline uint32_t gr_code_of(const void *site)
{
    return (uint32_t)(uintptr_t)site;
}

/* Empties a thread's records and resumes it until it stops again. */
void gr_sm_refill(struct gr_sm *sm, struct gr_fiber *fiber);
/* Adds a request, which is merged with adjacent ones if ptxas would merge them. */
void gr_merge_request(struct gr_tracer *tracer, const struct gr_record *record,
                      const uint64_t *address, const uint8_t *lane, int lanes, int first_thread);
void gr_merge_flush(struct gr_tracer *tracer);
/* Passes a request to the observers. `address`: as the program has them, also of shared memory. */
void gr_observe(struct gr_tracer *tracer, const struct gr_record *record, int bytes,
                const uint64_t *address, const uint8_t *lane, int lanes, int first_thread);
/* The same in parts, for callers that have the addresses in the form of struct gr_request. First:
 * sets all that follows from the record, which has the first lane's address, and from `bytes`. */
void gr_request_begin(struct gr_tracer *tracer, const struct gr_record *record, int bytes,
                      struct gr_request *request);
/* Then, when the lanes and their addresses are set: the shape and the bounds. `same`: the caller
 * knows that the addresses have the shape of the site's last request. */
void gr_request_shape(struct gr_request *request, bool same);
/* Last: passes the request to the observers of its space. */
void gr_request_pass(struct gr_tracer *tracer, const struct gr_request *request);

/* A fault as it is reported. A fault of one kind at one place is kept once and counted. `thread`,
 * `other`: linear in the block; -1: none. */
struct gr_fault_at {
    enum gr_finding_kind kind;
    uint32_t code, other_code; /* 0: none */
    int thread, other;
    bool writes, other_writes;
    bool hangs;              /* BARRIER: a GPU hangs there */
    uint64_t unnamed;        /* BARRIER: the mask of a call that does not name its own lane */
    uint64_t absent;         /* BARRIER: the mask of a shuffle that reads a lane that has exited */
    bool same_value;         /* RACE: both write the same bits */
    enum gr_async in_flight; /* RACE: the other is asynchronous, and no thread has waited for it */
    const unsigned *block;   /* of `thread`, if it is not the SM's; else null */
    const unsigned
        *other_block; /* RACE: the block of the other access if it is another block; else null */
    const struct gr_array *array;
    uint64_t address; /* of the access, in or beside the array; 0: none */
};
void gr_fault_report(struct gr_tracer *tracer, const struct gr_fault_at *fault);
/* The running thread of a traced launch is at an access whose address is not the multiple of
 * `alignment` that it must be. Reports it if it is in or near an array, and abandons the thread if
 * `alignment` is 16 or more. */
void gr_alignment_fault(uintptr_t address, unsigned alignment, bool writes, const void *site);
/* Checks an address against `alignment`, a power of two. If it is not a multiple, does the same in
 * a traced launch, and ends a fast one. */
void gr_alignment_check(uintptr_t address, unsigned alignment, bool writes, const void *site);
/* Keeps the recorded access for which the thread is abandoned. */
void gr_wild_keep(struct gr_tracer *tracer, const struct gr_record *record, int thread,
                  bool writes);
/* Reports the block's wild accesses, except those that were already reported as requests outside an
 * array. */
void gr_wild_report(struct gr_tracer *tracer);
/* The launch is repeated: faults are kept, and counted again from 0. */
void gr_faults_recount(struct gr_run *run);

/* One code for all copies of an access, which are those with its line and column. */
bool gr_origins_open(struct gr_run *run);
void gr_origins_close(struct gr_run *run);
uint32_t gr_origin_of(const struct gr_run *run, uint32_t code);

/* The row of the line table for `code`; null: none. */
const struct gr_sim_line *gr_line_find(const struct gr_run *run, uint32_t code);

#endif
