/* block.h: a block that is executed: its warps, its memory, and the watch to which its accesses are
 * reported. SPDX-License-Identifier: MIT */
#ifndef MACHINE_BLOCK_H
#define MACHINE_BLOCK_H

#include "machine/memory.h"
#include "machine/machine_program.h"
#include "machine/warp.h"

#include "records/trace.h"

enum { GR_BARRIERS = 16, GR_BLOCK_WARPS = 32 };

enum gr_block_status {
    GR_BLOCK_RUNS,
    GR_BLOCK_DONE,
    GR_BLOCK_FAILED,      /* an assertion, a trap or a deadlock; `text` gives the reason */
    GR_BLOCK_NOT_MODELLED /* `text` gives the reason */
};

/* The reduction of predicates that a barrier computes for its threads. */
enum gr_reduction { GR_REDUCTION_NONE, GR_REDUCTION_COUNT, GR_REDUCTION_AND, GR_REDUCTION_OR };

struct gr_named_barrier {
    int waiting;    /* threads */
    int arrived;    /* threads that wait, or have arrived without waiting (BAR.ARV) */
    int wanted;     /* 0: all threads of the block */
    int true_count; /* the waiting threads whose predicate is true */
    enum gr_reduction reduction;
};

/* The arrival of an asynchronous copy in shared memory, in addition to the values of enum
 * gr_access. */
enum { GR_ACCESS_ARRIVES = 4 };

/* An access to memory by the lanes of a warp. */
struct gr_machine_access {
    const struct gr_warp *warp;
    uint32_t step;
    enum gr_access access;
    enum gr_space space;
    bool is_local;
    int bytes;           /* per lane */
    const uint8_t *kept; /* the bytes that each of the 32 lanes accesses; null: all of them */
    uint32_t active;
    /* Of each of the 32 lanes; for shared memory, offsets in the block's. */
    const uint64_t *address;
    /* For a store to global memory, the words that each lane stores; else null. */
    const gr_lanes *stored;
    bool strong;  /* atomic or volatile */
    bool past_l1; /* an asynchronous copy that bypasses L1 */
};

/* How an asynchronous operation uses shared memory. Reductions (red.async), GR_USE_JOINS, may
 * overlap each other. */
enum gr_use { GR_USE_READS, GR_USE_WRITES, GR_USE_JOINS, GR_USES };

/* An asynchronous operation holds the bytes of shared memory that it reads or writes, from its
 * instruction on until the wait that confirms its end. */
struct gr_machine_hold {
    /* The warp that began it, perhaps in another block of the cluster. */
    const struct gr_warp *warp;
    int lane;
    uint32_t step;
    enum gr_async kind;
    enum gr_use use;
    uint32_t offset, bytes;
};

/* An access of an instruction to a register that a pending product (wgmma) still has to write. */
struct gr_machine_touch {
    const struct gr_warp *warp;
    int lane;
    uint32_t product; /* the step that began the product */
    int number;
    bool writes;
};

/* The functions to which a block's actions are reported. A function that is null is not called. */
struct gr_machine_watch {
    void *state;
    void (*access)(void *state, const struct gr_machine_access *access);
    /* A lane's access is outside of all memory, or its address is not aligned as the access
     * requires. */
    void (*outside)(void *state, const struct gr_machine_access *access, uint32_t lanes);
    void (*misaligned)(void *state, const struct gr_machine_access *access, uint32_t lanes);
    void (*barrier)(void *state, struct gr_block *block, int number);
    void (*met)(void *state, const struct gr_warp *warp, uint32_t lanes);
    /* Called regularly while a path runs: where it is. */
    void (*turn)(void *state, const struct gr_warp *warp);
    void (*fence)(void *state, const struct gr_warp *warp, uint32_t lanes, int scope);
    /* A fence for the async proxy. */
    void (*proxy_fence)(void *state, const struct gr_warp *warp);
    /* An asynchronous operation begins, or ends, to use bytes of the block's shared memory. Each
     * hold ends with the same arguments as it began with. */
    void (*holds)(void *state, const struct gr_machine_hold *hold);
    void (*releases)(void *state, const struct gr_machine_hold *hold);
    void (*touches)(void *state, const struct gr_machine_touch *touch);
    /* A phase of an mbarrier, or of the cluster's barrier, is complete. */
    void (*phase)(void *state, const struct gr_warp *warp);
    /* These bytes of the block's shared memory are read or written by an access that is not
     * counted: one of another block of the cluster, or a bulk copy. */
    void (*reached)(void *state, uint32_t offset, uint32_t bytes, bool writes);
    /* A bulk copy of the block reads or writes these bytes of global memory. */
    void (*reached_global)(void *state, uint64_t address, uint32_t bytes, bool writes);
};

/* The executions of a sequence of steps without branches. They are added where the sequence begins,
 * and subtracted where it ends, so that the executions of a step are the sum over all steps up to
 * it. */
struct gr_straight {
    int64_t warps, threads;
};

struct gr_block {
    const struct gr_program *program;
    const struct gr_program_launch *launch;
    struct gr_machine_memory *memory;
    const struct gr_machine_watch *watch; /* null: no watch */
    unsigned index[3];
    struct gr_cluster *cluster; /* the cluster that the block belongs to, while it runs */
    int rank;                   /* the rank in the cluster */
    int threads, warp_count;
    struct gr_warp *warps;
    unsigned char *shared;
    int64_t shared_bytes;
    unsigned char *local; /* local memory, warp by warp: the words of the 32 lanes are adjacent */
    struct gr_named_barrier barriers[GR_BARRIERS];
    int64_t barrier_waits;    /* of all warps */
    struct gr_flights *loads; /* bulk copies that complete on an mbarrier */
    uint32_t events;          /* the number of changes of mbarriers so far */
    int in_vain;              /* failed tests of mbarriers, or time-outs, since the last change */
    struct gr_executed *executed; /* for each step, over all blocks so far */
    struct gr_straight *straight; /* for each step, for this block; not yet added to `executed` */
    uint64_t clock;
    enum gr_block_status status;
    char text[256];
    int64_t failed_at; /* the step at which it failed; -1: no particular step */
};

/* Allocates what the blocks of a launch need; they run one at a time. Returns false if memory runs
 * out. */
bool gr_block_open(struct gr_block *block, const struct gr_program *program,
                   const struct gr_program_launch *launch, struct gr_machine_memory *memory,
                   const struct gr_machine_watch *watch);
void gr_block_close(struct gr_block *block);

/* ---- For cluster_blocks.c, which runs blocks. ---- */

void gr_block_begin(struct gr_block *block, unsigned x, unsigned y, unsigned z);
/* Gives each warp a turn, and releases the barriers that are complete. The block ends when its last
 * lane exits. Returns true if any warp has run or any barrier was released. */
bool gr_block_turn(struct gr_block *block);
/* To be called when all blocks of the cluster wait. Waits for mbarriers (try_wait) end after some
 * time without success, and the program may then continue in another way. Returns true if the block
 * has such waits, and this has not been repeated too often. */
bool gr_block_time_out(struct gr_block *block);
/* Releases the lanes of the block that wait for the cluster's barrier. */
void gr_block_pass_cluster(struct gr_block *block);

/* Tells the watch that bytes of the block's shared memory are held, or, if not `begins`,
 * released. */
static inline void gr_block_hold(const struct gr_block *block, const struct gr_machine_hold *hold,
                                 bool begins)
{
    const struct gr_machine_watch *watch = block->watch;
    if (watch && begins && watch->holds)
        watch->holds(watch->state, hold);
    else if (watch && !begins && watch->releases)
        watch->releases(watch->state, hold);
}

/* ---- For the functions that execute steps. ---- */

/* Ends the launch with this status, unless it has ended already. */
void gr_block_fail(struct gr_warp *warp, enum gr_block_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The lanes of `taken` continue at step `target`, and the other lanes of the current path at the
 * next step. */
void gr_warp_branch(struct gr_warp *warp, uint32_t taken, uint32_t target);
/* The same as gr_warp_branch, with a target for each lane. */
void gr_warp_jump(struct gr_warp *warp, uint32_t active, const uint32_t target[GR_WARP_LANES]);
void gr_warp_exit(struct gr_warp *warp, uint32_t active);
/* Makes the current path wait. */
void gr_warp_wait(struct gr_warp *warp, enum gr_path_state state, int number, uint32_t waits_for);
/* Makes the current path wait for a change of an mbarrier, and then execute this instruction
 * again. */
void gr_warp_wait_again(struct gr_warp *warp, uint32_t active);
/* To be called whenever an mbarrier of the block has changed. */
void gr_block_event(struct gr_block *block);
/* Lets other paths and warps run before the current path continues. */
void gr_warp_yield(struct gr_warp *warp);
/* Lanes of `active` arrive at a named barrier and, if `wait` is set, wait there for `wanted`
 * threads (0: all). */
struct gr_arrival {
    int number, wanted;
    bool waits;
    enum gr_reduction reduction;
    uint32_t predicate;
};
void gr_warp_barrier(struct gr_warp *warp, uint32_t active, const struct gr_arrival *arrival);

#endif
