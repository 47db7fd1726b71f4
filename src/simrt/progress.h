/* progress.h: finding a kernel that does not come to its end, and where its threads are.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_PROGRESS_H
#define SIMRT_PROGRESS_H

#include "simrt/simrt.h"

#include <stdbool.h>
#include <stdint.h>

/* Called once, in the midst of anything, when it is clear: to write what is known and to end the
 * process. */
typedef void gr_watch_stop_fn(const struct gr_sim_still *still);

/* Watches from now on: stops when for so much work no block has ended and no barrier was passed, or
 * for four times as much no block has ended; or when nobody works at all. As long as there is
 * progress a kernel may be as slow as it likes. */
void gr_watch_open(int64_t patience_ns, gr_watch_stop_fn *stop);
/* The calling host thread begins to run blocks, and ends. */
void gr_watch_enter(void);
void gr_watch_leave(void);
/* Progress. */
void gr_watch_block_ended(void);
void gr_watch_barrier(void);
/* Some more memory was touched that nobody had touched before: there is only so much of it, so a
 * loop that comes upon more is no endless one. */
void gr_watch_fresh(void);

#endif
