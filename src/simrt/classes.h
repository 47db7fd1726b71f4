/* classes.h: chooses the blocks that are traced. The blocks of a product do the same work except at
 * the grid's edges. So one block of each class is traced and its counts are multiplied by the
 * number of blocks in the class; a few random blocks are traced to check that.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_CLASSES_H
#define SIMRT_CLASSES_H

#include "simrt/tracer.h"

struct gr_classes;

/* Runs a launch on `threads` host threads: traces blocks until the counts are exact or the job's
 * time limit is reached, and writes the launch's part of the result: counts of sites and arrays,
 * faults, coverage. False: no memory. */
bool gr_classes_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                    struct gr_trace *trace, struct gr_sim_outcome *outcome);
/* Adds the counts of a block that was traced to its class. */
void gr_classes_add(struct gr_run *run, struct gr_tracer *tracer, const struct gr_sim_index *block);

#endif
