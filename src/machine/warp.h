/* warp.h: the state of a warp: its registers as vectors of 32 lanes, its predicates as masks, and
 * the paths that its lanes are on. SPDX-License-Identifier: MIT */
#ifndef MACHINE_WARP_H
#define MACHINE_WARP_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_WARP_LANES = 32 };

/* Where registers are among a warp's vectors. Zeros follow RZ, so that RZ is also a pair, a group
 * of four or of eight; what is written to RZ goes to the sink, of as many vectors. Uniform
 * registers hold their value in every lane, so that reading one is no different from reading any
 * other register. */
enum {
    GR_SLOT_ZERO = 255,
    GR_SLOT_SINK = 264,
    GR_SLOT_UNIFORM = 280, /* UR0; URZ is GR_SLOT_ZERO */
    GR_SLOTS = GR_SLOT_UNIFORM + 264
};

/* Likewise for predicates. A uniform predicate is all zeros or all ones. */
enum {
    GR_PREDICATE_ALWAYS = 7,  /* PT: always all ones */
    GR_PREDICATE_UNIFORM = 8, /* UP0; UPT is GR_PREDICATE_ALWAYS */
    GR_PREDICATE_SINK = 16,
    GR_PREDICATES = 17
};

typedef uint32_t gr_lanes[GR_WARP_LANES] __attribute__((aligned(64)));

/* What the lanes of a path wait for. */
enum gr_path_state {
    GR_PATH_READY,
    GR_PATH_SYNC,     /* BSYNC: the lanes of `waits_for`, at convergence barrier `number` */
    GR_PATH_TOGETHER, /* WARPSYNC: the lanes of `waits_for` */
    GR_PATH_BARRIER,  /* BAR: the block's barrier `number` */
    GR_PATH_MBARRIER, /* SYNCS: something that happens to an mbarrier after event `waits_for`; the
                         instruction is then executed again */
    GR_PATH_GROUP,    /* WARPGROUP.ARRIVE: the four warps of the group */
    GR_PATH_CLUSTER   /* UCGABAR_WAIT: all threads of the cluster */
};

/* Lanes that execute together. */
struct gr_path {
    uint32_t pc, mask;
    enum gr_path_state state;
    int number;
    uint32_t waits_for;
    bool timed_out; /* MBARRIER: nothing has happened, and nothing can */
};

enum { GR_CONVERGENCE_BARRIERS = 16 };

struct gr_block;
struct gr_copies;   /* copies.h: asynchronous copies that have not arrived */
struct gr_flights;  /* flights.h: bulk copies that have not arrived */
struct gr_products; /* group_products.h: products of groups of warps that are not done */

struct gr_warp {
    gr_lanes v[GR_SLOTS];
    uint32_t p[GR_PREDICATES]; /* bit i: of lane i */
    uint32_t mask; /* the lanes that execute the current instruction, before its guard */
    uint32_t
        pc; /* index of the current step; a step that jumps sets it to the one before its target */
    uint32_t live;     /* lanes that exist and have not exited */
    uint32_t existing; /* lanes that exist */
    int number;        /* in the block */
    struct gr_block *block;
    bool stopped; /* the current path cannot go on now: it waits, has ended, or yields */
    /* For each lane, the lanes that it meets at each of its convergence barriers. Paths that are
     * apart use the same barrier at the same time: a barrier is one for all lanes that began it. */
    uint32_t convergence[GR_CONVERGENCE_BARRIERS][GR_WARP_LANES];
    /* The cluster's barrier: the lanes that have arrived in its present phase, and those that have
     * arrived and not yet waited. */
    uint32_t cluster_arrived, cluster_owes;
    /* Of the last barrier with a reduction: the threads whose predicate was true, and its truth. */
    int reduced_count;
    bool reduced_truth;
    struct gr_path paths[GR_WARP_LANES];
    int path_count, current;
    bool timed_out; /* the current path has waited for an mbarrier in vain */
    struct gr_copies *copies;
    struct gr_flights *stores; /* bulk copies from shared memory */
    struct gr_products *products;
    bool guards; /* there are products that are not done, and somebody watches */
};

#endif
