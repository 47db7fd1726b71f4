/* global_history.h: races through global memory. SPDX-License-Identifier: MIT
 *
 * C, the work buffers, and A and B where they are written have a history for each element. It is
 * kept where one host thread runs all blocks (the ask's `races`), each once, one after another:
 * then what blocks did is known in one order, which a release and an acquire may make the kernel's
 * own. A and B get theirs when they are first written; `gr_globals_again` asks for another run
 * then. */
#ifndef SIMRT_GLOBAL_HISTORY_H
#define SIMRT_GLOBAL_HISTORY_H

#include "simrt/tracer.h"

bool gr_globals_open(struct gr_tracer *tracer);
void gr_globals_close(struct gr_tracer *tracer);

/* Is it a fence, or an access that synchronises or may race? */
static inline bool gr_globals_want(const struct gr_tracer *t, const struct gr_record *r)
{
    if (r->access == GR_TRACE_FENCE || (t->fenced && (r->value & GR_VALUE_STRONG)))
        return true;
    return t->globals && r->access < GR_TRACE_ARRIVES && gr_in_arena(r->address);
}
/* Lanes of a warp do it together: `records` of each, which are alike but for their addresses and
 * values. */
void gr_globals_see(struct gr_tracer *tracer, const struct gr_record *const *records,
                    const uint8_t *lane, int lanes, int first_thread);

/* The fiber has stopped, and what it stored since it last did is in its place: its records get the
 * values. */
void gr_globals_note(struct gr_tracer *tracer, struct gr_fiber *fiber);

/* True, once, where an array was found to be written that had no history: what read it before was
 * not seen. */
bool gr_globals_again(void);

#endif
