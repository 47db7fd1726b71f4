/* host_threads.h: runs blocks of a traced launch on several host threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMRT_HOST_THREADS_H
#define SIMRT_HOST_THREADS_H

#include "simrt/tracer.h"

/* Runs the `count` blocks of `list`, or the first `count` blocks of the grid if `list` is null, on
 * up to `threads` threads. If stop_ns is not 0, no block begins after that processor time of the
 * process. */
void gr_host_threads_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                         const int64_t *list, int64_t count, int64_t stop_ns,
                         struct gr_sim_outcome *outcome);

#endif
