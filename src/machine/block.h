/* block.h: a block that is executed: its warps, its memory, and who watches its accesses.
 * SPDX-License-Identifier: MIT */
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
    GR_BLOCK_FAILED,      /* an assertion, a trap, a deadlock; `text` says which */
    GR_BLOCK_NOT_MODELLED /* `text` says what */
};

/* What a barrier tells its threads of their predicates. */
enum gr_reduction { GR_REDUCTION_NONE, GR_REDUCTION_COUNT, GR_REDUCTION_AND, GR_REDUCTION_OR };

struct gr_named_barrier {
    int waiting;    /* threads */
    int arrived;    /* threads that wait or have arrived without waiting */
    int wanted;     /* 0: all threads of the block */
    int true_count; /* of them, with a predicate that is true */
    enum gr_reduction reduction;
};

/* The shared side of an asynchronous copy, beside the values of enum gr_access. */
enum { GR_ACCESS_ARRIVES = 4 };

/* An access of a warp's lanes to memory. */
struct gr_machine_access {
    const struct gr_warp *warp;
    uint32_t step;
    enum gr_access access;
    enum gr_space space;
    bool is_local;
    int bytes;           /* of each lane */
    const uint8_t *kept; /* how many of them each of the 32 lanes accesses; null: all */
    uint32_t active;
    const uint64_t *address; /* of each of the 32 lanes; shared memory: offsets in the block's */
    /* What a store to global memory stores: the words of each lane. Else null. */
    const gr_lanes *stored;
    bool strong;  /* atomic or volatile */
    bool past_l1; /* an asynchronous copy that bypasses L1 */
};

/* How what is asynchronous uses shared memory. Those that join (red.async) may do so at once. */
enum gr_use { GR_USE_READS, GR_USE_WRITES, GR_USE_JOINS, GR_USES };

/* What is asynchronous holds the bytes of a block's shared memory that it reads or writes: from its
 * instruction on, until the wait that says that it is done. */
struct gr_machine_hold {
    const struct gr_warp *warp; /* that began it; perhaps of another block of the cluster */
    int lane;
    uint32_t step;
    enum gr_async kind;
    enum gr_use use;
    uint32_t offset, bytes;
};

/* An instruction accesses a register that a product (wgmma) is still to write. */
struct gr_machine_touch {
    const struct gr_warp *warp;
    int lane;
    uint32_t product; /* the step that began it */
    int number;
    bool writes;
};

/* Who watches. A function that is null is not called. */
struct gr_machine_watch {
    void *state;
    void (*access)(void *state, const struct gr_machine_access *access);
    /* A lane's access is outside of all memory, or its address is not a multiple of what it must
     * be. */
    void (*outside)(void *state, const struct gr_machine_access *access, uint32_t lanes);
    void (*misaligned)(void *state, const struct gr_machine_access *access, uint32_t lanes);
    void (*barrier)(void *state, struct gr_block *block, int number);
    void (*met)(void *state, const struct gr_warp *warp, uint32_t lanes);
    /* A path has run for a while: where it is now. */
    void (*turn)(void *state, const struct gr_warp *warp);
    void (*fence)(void *state, const struct gr_warp *warp, uint32_t lanes, int scope);
    /* A fence for the async proxy. */
    void (*proxy_fence)(void *state, const struct gr_warp *warp);
    /* Bytes of the block's shared memory are held, and not any more: each hold ends as it began. */
    void (*holds)(void *state, const struct gr_machine_hold *hold);
    void (*releases)(void *state, const struct gr_machine_hold *hold);
    void (*touches)(void *state, const struct gr_machine_touch *touch);
    /* A phase of an mbarrier, or of the cluster's barrier, is complete. */
    void (*phase)(void *state, const struct gr_warp *warp);
    /* What is in no count reads or writes these bytes of the block's shared memory: another block
     * of the cluster, or a bulk copy. */
    void (*reached)(void *state, uint32_t offset, uint32_t bytes, bool writes);
    /* A bulk copy of the block reads or writes these bytes of global memory. */
    void (*reached_global)(void *state, uint64_t address, uint32_t bytes, bool writes);
};

/* Executions of a sequence of steps without branches, counted where it begins, and taken off again
 * where it ends: the sums over the steps up to one are that step's. */
struct gr_straight {
    int64_t warps, threads;
};

struct gr_block {
    const struct gr_program *program;
    const struct gr_program_launch *launch;
    struct gr_machine_memory *memory;
    const struct gr_machine_watch *watch; /* null: nobody */
    unsigned index[3];
    struct gr_cluster *cluster; /* that it belongs to, while it runs */
    int rank;                   /* in it */
    int threads, warp_count;
    struct gr_warp *warps;
    unsigned char *shared;
    int64_t shared_bytes;
    unsigned char *local; /* of each warp in turn: words of the 32 lanes side by side */
    struct gr_named_barrier barriers[GR_BARRIERS];
    int64_t barrier_waits;        /* of warps */
    struct gr_flights *loads;     /* bulk copies that complete on an mbarrier */
    uint32_t events;              /* what has happened to mbarriers */
    int in_vain;                  /* tests of mbarriers, or times that all waited, since then */
    struct gr_executed *executed; /* of each step, of all blocks so far */
    struct gr_straight *straight; /* of each step, of this block; not yet in `executed` */
    uint64_t clock;
    enum gr_block_status status;
    char text[256];
    int64_t failed_at; /* the step at which it failed; -1: no single one */
};

/* Allocates what the blocks of a launch need, one block at a time. False: no memory. */
bool gr_block_open(struct gr_block *block, const struct gr_program *program,
                   const struct gr_program_launch *launch, struct gr_machine_memory *memory,
                   const struct gr_machine_watch *watch);
void gr_block_close(struct gr_block *block);

/* ---- For cluster_blocks.c, which runs blocks. ---- */

void gr_block_begin(struct gr_block *block, unsigned x, unsigned y, unsigned z);
/* Each warp has its turn, and barriers that are complete are passed; the last lane's exit ends the
 * block. True: something has happened. */
bool gr_block_turn(struct gr_block *block);
/* All of the cluster wait: a wait for an mbarrier ends after some time also in vain, and what the
 * program does then may help. True if the block has any, and it has not been so for long. */
bool gr_block_time_out(struct gr_block *block);
/* The lanes of the block that wait for the cluster's barrier go on. */
void gr_block_pass_cluster(struct gr_block *block);

/* Tells whoever watches the block that bytes of its shared memory are held, or not any more. */
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

/* Ends the launch with that status, once. */
void gr_block_fail(struct gr_warp *warp, enum gr_block_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Of the lanes of the current path, those of `taken` go on at step `target`, the others at the next
 * one. */
void gr_warp_branch(struct gr_warp *warp, uint32_t taken, uint32_t target);
/* As gr_warp_branch, with a target for each lane. */
void gr_warp_jump(struct gr_warp *warp, uint32_t active, const uint32_t target[GR_WARP_LANES]);
void gr_warp_exit(struct gr_warp *warp, uint32_t active);
/* The current path waits. */
void gr_warp_wait(struct gr_warp *warp, enum gr_path_state state, int number, uint32_t waits_for);
/* The current path waits for an event of mbarriers, and then executes this instruction again. */
void gr_warp_wait_again(struct gr_warp *warp, uint32_t active);
/* Something has happened to an mbarrier of the block. */
void gr_block_event(struct gr_block *block);
/* The current path goes on later. */
void gr_warp_yield(struct gr_warp *warp);
/* Lanes of `active` arrive at a named barrier and, if they `wait`, wait there for `wanted` threads
 * (0: all). */
struct gr_arrival {
    int number, wanted;
    bool waits;
    enum gr_reduction reduction;
    uint32_t predicate;
};
void gr_warp_barrier(struct gr_warp *warp, uint32_t active, const struct gr_arrival *arrival);

#endif
