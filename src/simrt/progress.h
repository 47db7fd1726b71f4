/* progress.h: detects a kernel that does not end, and finds where its threads are.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_PROGRESS_H
#define SIMRT_PROGRESS_H

#include "simrt/simrt.h"

#include <stdbool.h>
#include <stdint.h>

/* Called once, in a signal handler, when the kernel is considered endless: writes what is known and
 * ends the process. */
typedef void gr_watch_stop_fn(const struct gr_sim_still *still);

/* Watches the kernel from now on. It is endless if no block has ended and no barrier was passed for
 * `patience_ns` of processor time, if no block has ended for four times as long, or if all threads
 * wait. A kernel that makes progress may be arbitrarily slow. */
void gr_watch_open(int64_t patience_ns, gr_watch_stop_fn *stop);
/* The calling host thread begins to run blocks, or has finished. */
void gr_watch_enter(void);
void gr_watch_leave(void);
/* Called when there is progress. */
void gr_watch_block_ended(void);
void gr_watch_barrier(void);
/* Called when sectors are accessed for the first time. Their number is limited, so a loop that
 * still reaches new ones is not endless. */
void gr_watch_fresh(void);

#endif
