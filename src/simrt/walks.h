/* walks.h: the requests of warps that a launch keeps (walks, records/trace.h). Equal shapes, runs
 * and walks are kept once. The caller holds the run's lock. SPDX-License-Identifier: MIT */
#ifndef SIMRT_WALKS_H
#define SIMRT_WALKS_H

#include "simrt/tracer.h"

/* Are the requests of this block kept? They are for blocks at the grid's edges and next to those,
 * which represent the others (classes.c). */
bool gr_walks_want(const struct gr_sim_index *block, const unsigned grid[3]);
/* Returns a new number for the block; -1: it has one already, or there is no room. */
int gr_walks_block(struct gr_trace_walks *walks, const struct gr_sim_index *block);
/* Each returns the number of the item that is equal to the argument, which is added if there is
 * none; -1: there is no room. Costs that an equal shape does not have yet are added to it. */
int gr_walks_shape(struct gr_trace_walks *walks, const struct gr_trace_shape *shape);
int gr_walks_walk(struct gr_trace_walks *walks, const struct gr_trace_walk *walk,
                  const struct gr_trace_run *runs);
bool gr_walks_trail(struct gr_trace_walks *walks, const struct gr_trace_trail *trail);
/* The launch has ended: puts the trails in order and renumbers their sites. number[i] is the number
 * of site i in the trace; -1: it is not in it. */
void gr_walks_finish(struct gr_trace_walks *walks, const int *number);

#endif
