/* watch_async.h: finds faults in a block's use of asynchronous operations: accesses before the wait
 * for them. SPDX-License-Identifier: MIT */
#ifndef ENGINE_WATCH_ASYNC_H
#define ENGINE_WATCH_ASYNC_H

#include "machine/block.h"
#include "simrt/tracer.h"

/* To be called when a block of the SM begins; and when no more blocks follow, which frees the
 * memory. */
void gr_watch_async_begin(struct gr_sm *sm, const struct gr_program *program);
void gr_watch_async_end(struct gr_sm *sm);

/* `state` is the SM. An operation begins to hold bytes of shared memory, and no longer holds
 * them. */
void gr_watch_async_holds(void *state, const struct gr_machine_hold *hold);
void gr_watch_async_releases(void *state, const struct gr_machine_hold *hold);
/* An access to a register that a wgmma in flight still has to write. */
void gr_watch_async_touches(void *state, const struct gr_machine_touch *touch);
/* An access of a warp's instruction to shared memory. */
void gr_watch_async_access(struct gr_sm *sm, const struct gr_machine_access *access);
/* A barrier of any kind; a memory fence; a fence for the async proxy. */
void gr_watch_async_barrier(const struct gr_sm *sm);
void gr_watch_async_membar(const struct gr_sm *sm);
void gr_watch_async_fence(void *state, const struct gr_warp *warp);

#endif
