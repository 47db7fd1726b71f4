/* flights.h: bulk copies, by address and by tensor map, and other operations that complete on an
 * mbarrier. As in copies.h, the data arrive only when the program waits for them.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_FLIGHTS_H
#define MACHINE_FLIGHTS_H

#include "machine/block.h"
#include "machine/element_joins.h"
#include "machine/machine_mbarrier.h"
#include "machine/tensor_map.h"

enum gr_flight_kind {
    GR_FLIGHT_LOAD,   /* from global to shared memory */
    GR_FLIGHT_SHARED, /* from the block's shared memory to that of a block of the cluster */
    GR_FLIGHT_STORE,  /* from shared to global memory */
    /* An operation on the mbarrier, after the copies that the warp issued before. */
    GR_FLIGHT_ARRIVAL,
    GR_FLIGHT_VALUE /* from registers to shared memory: STAS, REDAS */
};

struct gr_flight {
    enum gr_flight_kind kind;
    struct gr_block *to;            /* the block in whose shared memory `shared` is an offset */
    struct gr_block *barrier_block; /* the same for `barrier`; not for STORE */
    uint32_t barrier;
    uint32_t shared, bytes; /* for SHARED, `shared` is the destination */
    uint64_t global; /* an address; for SHARED, the source as an offset in the warp's block */
    unsigned char value[16]; /* for VALUE */
    /* The operation on the elements of the destination; NONE: they are overwritten. */
    struct gr_join join;
    bool tensor; /* the copy is described by `map`: */
    struct gr_tensor_map map;
    int32_t at[GR_TENSOR_RANK];
    struct gr_warp *warp; /* the warp that issued it; `lane` is given for VALUE, otherwise set */
    int lane;
    uint32_t step;
    /* For ARRIVAL. */
    uint64_t copies;
    enum gr_mbarrier_operation operation;
    int group; /* for STORE; set when it is added */
};

/* Empties a list, which may be null. */
void gr_flights_begin(struct gr_flights *flights);
void gr_flights_free(struct gr_flights **flights);

/* Adds an operation that completes on an mbarrier, or a store, for the warp that executes it.
 * Returns false if it leaves its memory or there is no room for it; the launch has then ended. */
bool gr_flight_begin(struct gr_warp *warp, const struct gr_flight *flight);

/* Completes the oldest operation of the mbarrier at this offset of the block's shared memory.
 * Returns false if there is none. */
bool gr_flights_arrive(struct gr_warp *warp, struct gr_block *block, uint32_t barrier);

/* Make a group of the stores since the last commit; complete all but the newest `pending` groups;
 * complete all. */
void gr_stores_commit(struct gr_warp *warp);
void gr_stores_wait(struct gr_warp *warp, int pending);
void gr_stores_arrive(struct gr_warp *warp);

/* Returns the word of the mbarrier at this offset of the block's shared memory. Returns null if it
 * is outside or misaligned; the launch has then ended. */
unsigned char *gr_mbarrier_at(struct gr_warp *warp, struct gr_block *block, uint32_t offset);
/* Applies the operation, and ends the launch if it is invalid. Returns the word from before. */
uint64_t gr_mbarrier_change(struct gr_warp *warp, struct gr_block *block, uint32_t offset,
                            enum gr_mbarrier_operation operation, bool drop, uint32_t value);

#endif
