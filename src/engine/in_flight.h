/* in_flight.h: the words of a block's shared memory that an asynchronous operation still has to
 * read or write. An access to such a word that has not waited for the operation is a fault.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_IN_FLIGHT_H
#define ENGINE_IN_FLIGHT_H

#include "machine/block.h"

/* The last instruction that holds a word for a use, and how many hold it. A word is held from the
 * start of an asynchronous operation to its end. Only the warps that wait for the operation know
 * that it has ended; the other warps know it after a barrier. */
struct gr_holder {
    const struct gr_warp *warp;
    uint32_t code; /* the address of its instruction, as in the table of lines */
    uint32_t count;
    uint32_t phase;     /* the phase in which the last hold ended; 0: none has ended */
    uint8_t lane, kind; /* kind: enum gr_async */
};

/* For a group of consecutive words: the number of their holders, and the phase in which the last
 * hold ended. Most accesses are to words that are not held, which can be seen here at once. */
struct gr_held_line {
    uint32_t count, phase;
};

/* The last write of a word through the generic proxy, that is, by an instruction of a warp. */
struct gr_generic_write {
    const struct gr_warp *warp; /* null: the async proxy sees all writes */
    uint64_t time;
    uint32_t code;
    uint8_t lane;
};

/* For each word of 4 bytes: its holders for each use, and its last write. A use without holders
 * since the last barrier is not examined. Phases and times continue to increase from block to
 * block. */
struct gr_in_flight {
    struct gr_holder *by[GR_USES];
    struct gr_held_line *lines[GR_USES];
    struct gr_generic_write *writes;
    int64_t bytes;              /* the size of shared memory */
    int64_t count[GR_USES];     /* the number of holders of all words */
    uint32_t last_end[GR_USES]; /* the phase in which the last hold ended */
    uint32_t phase;             /* the number of barriers, fences and blocks so far */
    bool wants_fences; /* the kernel reads shared memory through the async proxy, so writes are
                          recorded */
    /* The number of writes so far; and of these, those before the last barrier, those before the
     * last barrier that was followed by a fence for the async proxy, and those before the last
     * fence of each warp. */
    uint64_t time, barrier, fenced, fenced_by[GR_BLOCK_WARPS];
};

/* Creates the record for `bytes` of shared memory. Returns null if memory runs out. */
struct gr_in_flight *gr_in_flight_open(int64_t bytes);
void gr_in_flight_close(struct gr_in_flight *flight);
/* To be called when a block begins: nothing is held then. */
void gr_in_flight_begin(struct gr_in_flight *flight);
/* Adds a holder to the bytes for a use, or removes it. */
void gr_in_flight_add(struct gr_in_flight *flight, int64_t offset, int64_t bytes, enum gr_use use,
                      const struct gr_holder *holder);
void gr_in_flight_remove(struct gr_in_flight *flight, int64_t offset, int64_t bytes,
                         enum gr_use use, const struct gr_holder *holder);
/* Returns a holder of one of these bytes whose use conflicts with that of the warp, as far as the
 * warp knows, and sets *held to its use. Returns null if there is none. */
const struct gr_holder *gr_in_flight_find(const struct gr_in_flight *flight, int64_t offset,
                                          int64_t bytes, enum gr_use use,
                                          const struct gr_warp *warp, enum gr_use *held);
/* Can gr_in_flight_find find a holder for this use, or for any use? */
static inline bool gr_in_flight_used(const struct gr_in_flight *flight, enum gr_use use)
{
    return flight->count[use] > 0 || flight->last_end[use] == flight->phase;
}
static inline bool gr_in_flight_any(const struct gr_in_flight *flight)
{
    return gr_in_flight_used(flight, GR_USE_READS) || gr_in_flight_used(flight, GR_USE_WRITES) ||
           gr_in_flight_used(flight, GR_USE_JOINS);
}
/* To be called when warps have met at a barrier, or a fence orders their accesses. */
static inline void gr_in_flight_meet(struct gr_in_flight *flight)
{
    flight->phase++;
}

/* ---- The fence for the async proxy. Writes of a warp are visible to that proxy after a fence of
 * the same warp, or of any warp if there is a barrier between the write and the fence. ---- */

void gr_in_flight_write(struct gr_in_flight *flight, int64_t offset, int64_t bytes,
                        const struct gr_generic_write *write);
void gr_in_flight_barrier(struct gr_in_flight *flight);
void gr_in_flight_fence(struct gr_in_flight *flight, const struct gr_warp *warp);
/* Returns a write to one of these bytes that may be invisible to the async proxy, or null. */
const struct gr_generic_write *gr_in_flight_unfenced(const struct gr_in_flight *flight,
                                                     int64_t offset, int64_t bytes);

#endif
