/* flights.h: bulk copies, by address and by tensor map, and what completes on an mbarrier. As with
 * copies.h, data arrive when the program waits for them and no sooner. SPDX-License-Identifier: MIT
 */
#ifndef MACHINE_FLIGHTS_H
#define MACHINE_FLIGHTS_H

#include "machine/block.h"
#include "machine/element_joins.h"
#include "machine/machine_mbarrier.h"
#include "machine/tensor_map.h"

enum gr_flight_kind {
    GR_FLIGHT_LOAD,    /* from global to shared memory */
    GR_FLIGHT_SHARED,  /* from the block's shared memory to that of a block of the cluster */
    GR_FLIGHT_STORE,   /* from shared to global memory */
    GR_FLIGHT_ARRIVAL, /* an operation of the mbarrier, after the warp's copies that began before */
    GR_FLIGHT_VALUE    /* from registers to shared memory: STAS, REDAS */
};

struct gr_flight {
    enum gr_flight_kind kind;
    struct gr_block *to;            /* whose shared memory `shared` is an offset in */
    struct gr_block *barrier_block; /* and `barrier`; not of STORE */
    uint32_t barrier;
    uint32_t shared, bytes;  /* of SHARED where to */
    uint64_t global;         /* an address; of SHARED an offset in the warp's block, where from */
    unsigned char value[16]; /* of VALUE */
    struct gr_join join;     /* what is done to the elements that are there; NONE: written over */
    bool tensor;             /* by a map: */
    struct gr_tensor_map map;
    int32_t at[GR_TENSOR_RANK];
    struct gr_warp *warp; /* that began it; of VALUE its lane is given, of others set */
    int lane;
    uint32_t step;
    /* Of ARRIVAL. */
    uint64_t copies;
    enum gr_mbarrier_operation operation;
    int group; /* of STORE; set when it is added */
};

/* A list begins, empty; it may be null. */
void gr_flights_begin(struct gr_flights *flights);
void gr_flights_free(struct gr_flights **flights);

/* Adds one that completes on an mbarrier, or a store, for the warp that executes. False: it leaves
 * its memory or there is no room for it, and the launch has ended. */
bool gr_flight_begin(struct gr_warp *warp, const struct gr_flight *flight);

/* The eldest that completes on the mbarrier at that offset of the block's shared memory arrives.
 * False: there is none. */
bool gr_flights_arrive(struct gr_warp *warp, struct gr_block *block, uint32_t barrier);

/* The stores since the last commit are a group; all but the newest `pending` groups arrive; all
 * arrive. */
void gr_stores_commit(struct gr_warp *warp);
void gr_stores_wait(struct gr_warp *warp, int pending);
void gr_stores_arrive(struct gr_warp *warp);

/* The word of the mbarrier at that offset of the block's shared memory. Null: there is none, and
 * the launch has ended. */
unsigned char *gr_mbarrier_at(struct gr_warp *warp, struct gr_block *block, uint32_t offset);
/* Does the operation, and ends the launch if it is wrong. Returns the word before. */
uint64_t gr_mbarrier_change(struct gr_warp *warp, struct gr_block *block, uint32_t offset,
                            enum gr_mbarrier_operation operation, bool drop, uint32_t value);

#endif
