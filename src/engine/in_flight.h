/* in_flight.h: which words of a block's shared memory something asynchronous is still to read or
 * write, so that an access that has not waited for it is a fault. SPDX-License-Identifier: MIT */
#ifndef ENGINE_IN_FLIGHT_H
#define ENGINE_IN_FLIGHT_H

#include "machine/block.h"

/* The last one that holds a word for a use, and how many hold it. The wait that ends a hold tells
 * the warps that wait alone; the others learn of it by a barrier. */
struct gr_holder {
    const struct gr_warp *warp;
    uint32_t code; /* of its instruction, as lines have it */
    uint32_t count;
    uint32_t phase;     /* in which the last one has ended; 0: in none */
    uint8_t lane, kind; /* kind: enum gr_async */
};

/* Of several words that follow one another: their holders, and the phase of the last end. Most
 * accesses are to words that nobody holds, and this says so at once. */
struct gr_held_line {
    uint32_t count, phase;
};

/* The last write of a word by the generic proxy: by a warp's own instruction. */
struct gr_generic_write {
    const struct gr_warp *warp; /* null: there is none that the async proxy may not see */
    uint64_t time;
    uint32_t code;
    uint8_t lane;
};

/* Of each word of 4 bytes: who holds it for each use, and its last write. A use that nobody has
 * made lately is not looked at. Phases and times go on from block to block. */
struct gr_in_flight {
    struct gr_holder *by[GR_USES];
    struct gr_held_line *lines[GR_USES];
    struct gr_generic_write *writes;
    int64_t bytes;              /* of shared memory */
    int64_t count[GR_USES];     /* holders of all words */
    uint32_t last_end[GR_USES]; /* the phase of the last end */
    uint32_t phase;             /* barriers, fences and blocks so far */
    bool wants_fences;          /* the async proxy reads shared memory, so that writes are kept */
    /* Writes so far; of them those before the last barrier, those before the last barrier that a
     * fence for the async proxy followed, and those before the last fence of each warp. */
    uint64_t time, barrier, fenced, fenced_by[GR_BLOCK_WARPS];
};

/* `bytes` of shared memory. Null: no memory. */
struct gr_in_flight *gr_in_flight_open(int64_t bytes);
void gr_in_flight_close(struct gr_in_flight *flight);
/* A block begins: nothing is held. */
void gr_in_flight_begin(struct gr_in_flight *flight);
/* The bytes are held for a use; and one holder of them fewer, that one. */
void gr_in_flight_add(struct gr_in_flight *flight, int64_t offset, int64_t bytes, enum gr_use use,
                      const struct gr_holder *holder);
void gr_in_flight_remove(struct gr_in_flight *flight, int64_t offset, int64_t bytes,
                         enum gr_use use, const struct gr_holder *holder);
/* Who holds one of these bytes, as far as a warp knows, for a use that does not go together with
 * the warp's, and that use. Null: nobody. */
const struct gr_holder *gr_in_flight_find(const struct gr_in_flight *flight, int64_t offset,
                                          int64_t bytes, enum gr_use use,
                                          const struct gr_warp *warp, enum gr_use *held);
/* Is there anything to be found of that use; and of any? */
static inline bool gr_in_flight_used(const struct gr_in_flight *flight, enum gr_use use)
{
    return flight->count[use] > 0 || flight->last_end[use] == flight->phase;
}
static inline bool gr_in_flight_any(const struct gr_in_flight *flight)
{
    return gr_in_flight_used(flight, GR_USE_READS) || gr_in_flight_used(flight, GR_USE_WRITES) ||
           gr_in_flight_used(flight, GR_USE_JOINS);
}
/* Warps meet, or order what they do with a fence. */
static inline void gr_in_flight_meet(struct gr_in_flight *flight)
{
    flight->phase++;
}

/* ---- The fence of the async proxy. What a warp has written is visible to that proxy after a fence
 * of the same warp, or of any warp if there is a barrier between the two. ---- */

void gr_in_flight_write(struct gr_in_flight *flight, int64_t offset, int64_t bytes,
                        const struct gr_generic_write *write);
void gr_in_flight_barrier(struct gr_in_flight *flight);
void gr_in_flight_fence(struct gr_in_flight *flight, const struct gr_warp *warp);
/* A write of one of these bytes that the async proxy may not see; null: none. */
const struct gr_generic_write *gr_in_flight_unfenced(const struct gr_in_flight *flight,
                                                     int64_t offset, int64_t bytes);

#endif
