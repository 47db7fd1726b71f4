/* host_threads.h: running blocks of a traced launch on several host threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMRT_HOST_THREADS_H
#define SIMRT_HOST_THREADS_H

#include "simrt/tracer.h"

/* Runs the `count` blocks of `list`, or where it is null the first ones, on up to `threads`
 * threads; none begins when the process has worked for longer than stop_ns, where that is not 0. */
void gr_host_threads_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                         const int64_t *list, int64_t count, int64_t stop_ns,
                         struct gr_sim_outcome *outcome);

#endif
