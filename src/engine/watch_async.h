/* watch_async.h: faults of a block's use of what is asynchronous: accesses before the wait for it.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_WATCH_ASYNC_H
#define ENGINE_WATCH_ASYNC_H

#include "machine/block.h"
#include "simrt/tracer.h"

/* A block of that SM begins; and none will any more, which frees what was allocated. */
void gr_watch_async_begin(struct gr_sm *sm, const struct gr_program *program);
void gr_watch_async_end(struct gr_sm *sm);

/* Of the SM that `state` is: bytes of shared memory are held, and not any more. */
void gr_watch_async_holds(void *state, const struct gr_machine_hold *hold);
void gr_watch_async_releases(void *state, const struct gr_machine_hold *hold);
/* An access to a register that is still to be written. */
void gr_watch_async_touches(void *state, const struct gr_machine_touch *touch);
/* An access to shared memory. */
void gr_watch_async_access(struct gr_sm *sm, const struct gr_machine_access *access);
/* A barrier of whatever kind, a fence of memory, and one for the async proxy. */
void gr_watch_async_barrier(const struct gr_sm *sm);
void gr_watch_async_membar(const struct gr_sm *sm);
void gr_watch_async_fence(void *state, const struct gr_warp *warp);

#endif
