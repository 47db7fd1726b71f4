/* classes.h: which blocks are traced. Blocks of a product do the same work but at the grid's edges,
 * so one of each class stands for all of it, times their number; others at random are held against
 * it. SPDX-License-Identifier: MIT */
#ifndef SIMRT_CLASSES_H
#define SIMRT_CLASSES_H

#include "simrt/tracer.h"

struct gr_classes;

/* Runs a launch: traces blocks until the counts are exact or the ask's time is over, and writes the
 * launch's part of the answer: counts of sites and arrays, faults, coverage. `threads` SMs. False:
 * no memory. */
bool gr_classes_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                    struct gr_trace *trace, struct gr_sim_outcome *outcome);
/* A block has been traced: adds the tracer's counts to its class. */
void gr_classes_add(struct gr_run *run, struct gr_tracer *tracer, const struct gr_sim_index *block);

#endif
