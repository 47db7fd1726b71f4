/* global_history.h: the access history of global memory, for finding races between blocks.
 * SPDX-License-Identifier: MIT
 *
 * C, the work buffers, and A and B where the kernel writes them have a history for each element. It
 * is kept only if the job asks for it (`races`): then one host thread runs every block once, one
 * after another, so that there is one order of all accesses, and a release and an acquire decide
 * whether the kernel enforces that order. A and B get a history when they are first written;
 * earlier reads are missing then, so gr_globals_again requests another run. */
#ifndef SIMRT_GLOBAL_HISTORY_H
#define SIMRT_GLOBAL_HISTORY_H

#include "simrt/tracer.h"

bool gr_globals_open(struct gr_tracer *tracer);
void gr_globals_close(struct gr_tracer *tracer);

/* Is the record a fence, or an access that synchronises or may race? */
static inline bool gr_globals_want(const struct gr_tracer *t, const struct gr_record *r)
{
    if (r->access == GR_TRACE_FENCE || (t->fenced && (r->value & GR_VALUE_STRONG)))
        return true;
    return t->globals && r->access < GR_TRACE_ARRIVES && gr_in_arena(r->address);
}
/* Lanes of a warp make the access together. `records` has one record of each lane; they differ only
 * in their addresses and values. */
void gr_globals_see(struct gr_tracer *tracer, const struct gr_record *const *records,
                    const uint8_t *lane, int lanes, int first_thread);

/* Adds to the record of a store what it stores: a hash of the bytes at `stored`. */
void gr_globals_note(struct gr_tracer *tracer, struct gr_record *record, const void *stored);

/* True, once, if an array without a history turned out to be written: reads of it before that were
 * not recorded. */
bool gr_globals_again(void);

#endif
