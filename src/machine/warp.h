/* warp.h: the state of a warp: its registers as vectors of 32 lanes, its predicates as masks, and
 * the paths that its lanes are on. SPDX-License-Identifier: MIT */
#ifndef MACHINE_WARP_H
#define MACHINE_WARP_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_WARP_LANES = 32 };

/* The slots of registers among a warp's vectors. Several zeros follow RZ, so that RZ can also be
 * read as a pair or as a group of four or eight; writes to RZ go to the sink, which is as large.
 * Uniform registers hold their value in every lane, so that they are read like all other
 * registers. */
enum {
    GR_SLOT_ZERO = 255,
    GR_SLOT_SINK = 264,
    GR_SLOT_UNIFORM = 280, /* UR0; URZ is GR_SLOT_ZERO */
    GR_SLOTS = GR_SLOT_UNIFORM + 264
};

/* The same for predicates. A uniform predicate is all zeros or all ones. */
enum {
    GR_PREDICATE_ALWAYS = 7,  /* PT, which is always all ones */
    GR_PREDICATE_UNIFORM = 8, /* UP0; UPT is GR_PREDICATE_ALWAYS */
    GR_PREDICATE_SINK = 16,
    GR_PREDICATES = 17
};

typedef uint32_t gr_lanes[GR_WARP_LANES] __attribute__((aligned(64)));

/* What the lanes of a path wait for. */
enum gr_path_state {
    GR_PATH_READY,
    GR_PATH_SYNC,     /* BSYNC: for the lanes of `waits_for`, at convergence barrier `number` */
    GR_PATH_TOGETHER, /* WARPSYNC: for the lanes of `waits_for` */
    GR_PATH_BARRIER,  /* BAR: for the block's barrier `number` */
    GR_PATH_MBARRIER, /* SYNCS: for a change of an mbarrier after event `waits_for`; the instruction
                         is then executed again */
    GR_PATH_GROUP,    /* WARPGROUP.ARRIVE: for the four warps of the warpgroup */
    GR_PATH_CLUSTER   /* UCGABAR_WAIT: for all threads of the cluster */
};

/* Lanes that execute together. */
struct gr_path {
    uint32_t pc, mask;
    enum gr_path_state state;
    int number;
    uint32_t waits_for;
    bool timed_out; /* MBARRIER: the wait ended without a change, as no other path could run */
};

enum { GR_CONVERGENCE_BARRIERS = 16 };

struct gr_block;
struct gr_copies;   /* in copies.h: asynchronous copies that have not arrived */
struct gr_flights;  /* in flights.h: bulk copies that have not arrived */
struct gr_products; /* in group_products.h: pending products of warpgroups */

struct gr_warp {
    gr_lanes v[GR_SLOTS];
    uint32_t p[GR_PREDICATES]; /* bit i is the predicate of lane i */
    uint32_t mask; /* the lanes that execute the current instruction, before its guard */
    uint32_t
        /* Index of the current step; a jump sets it to the step before its target. */
        pc;
    uint32_t live;     /* lanes that exist and have not exited */
    uint32_t existing; /* lanes that exist */
    int number;        /* the warp's index in the block */
    struct gr_block *block;
    bool stopped; /* the current path cannot continue now: it waits, has ended, or yields */
    /* For each lane, the lanes with which it reconverges at each of its convergence barriers.
     * Divergent paths may use the same barrier at the same time: a use of a barrier belongs to the
     * lanes that began it. */
    uint32_t convergence[GR_CONVERGENCE_BARRIERS][GR_WARP_LANES];
    /* For the cluster's barrier: the lanes that have arrived in its current phase, and the lanes
     * that have arrived but not waited yet. */
    uint32_t cluster_arrived, cluster_owes;
    /* For the last barrier with a reduction: the number of threads whose predicate was true, and
     * the result of AND or OR. */
    int reduced_count;
    bool reduced_truth;
    struct gr_path paths[GR_WARP_LANES];
    int path_count, current;
    bool timed_out; /* the wait of the current path for an mbarrier has timed out */
    struct gr_copies *copies;
    struct gr_flights *stores; /* bulk copies from shared memory */
    struct gr_products *products;
    /* There are pending products, and accesses to their registers are reported to a watch. */
    bool guards;
};

#endif
