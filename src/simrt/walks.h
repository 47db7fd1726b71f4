/* walks.h: what a launch keeps of walks (records/trace.h): shapes, runs and walks, each once. The
 * run's lock is to be held. SPDX-License-Identifier: MIT */
#ifndef SIMRT_WALKS_H
#define SIMRT_WALKS_H

#include "simrt/tracer.h"

/* Is the block one that is walked? Those at the grid's edges and beside them, which stand for the
 * others (classes.c). */
bool gr_walks_want(const struct gr_sim_index *block, const unsigned grid[3]);
/* The block's number, when it has none yet; else, and where there is no room, -1. */
int gr_walks_block(struct gr_trace_walks *walks, const struct gr_sim_index *block);
/* Each returns the number of what is equal, added where there is none; -1: there is no room. A
 * shape learns what it did not know of its costs. */
int gr_walks_shape(struct gr_trace_walks *walks, const struct gr_trace_shape *shape);
int gr_walks_walk(struct gr_trace_walks *walks, const struct gr_trace_walk *walk,
                  const struct gr_trace_run *runs);
bool gr_walks_trail(struct gr_trace_walks *walks, const struct gr_trace_trail *trail);
/* The launch is over: trails in order, their sites renumbered; `told` -1: the site is not told. */
void gr_walks_finish(struct gr_trace_walks *walks, const int *told);

#endif
