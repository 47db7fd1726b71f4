/* overflow.h: finds the places where a kernel's 32-bit integers overflow. SPDX-License-Identifier:
 * MIT */
#ifndef SIMRT_OVERFLOW_H
#define SIMRT_OVERFLOW_H

#include "simrt/simrt.h"
#include "simrt/sm.h"

#include <stdbool.h>

/* Runs the blocks at the corners of a launch's grid, the last block first, or only that one. The
 * program is one whose additions, subtractions and multiplications of signed integers are checked.
 * Its accesses are not recorded, and its arrays hold zeros, so that only indices can become large.
 * Appends to `faults`, of which there are *count and at most `most`. False: no memory. */
bool gr_overflow_run(const struct gr_sim_launch *launch, bool last_only,
                     struct gr_trace_fault *faults, int *count, int most,
                     struct gr_sim_outcome *outcome);

#endif
