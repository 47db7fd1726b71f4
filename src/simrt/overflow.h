/* overflow.h: where a kernel's integers of 32 bits overflow. SPDX-License-Identifier: MIT */
#ifndef SIMRT_OVERFLOW_H
#define SIMRT_OVERFLOW_H

#include "simrt/simrt.h"
#include "simrt/sm.h"

#include <stdbool.h>

/* Runs the blocks at the corners of a launch's grid, the last one first, or that one alone, of a
 * program whose additions, subtractions and multiplications of signed integers are checked. Its
 * accesses are not observed, and its arrays hold zeros, so that no number but an index can be
 * large. Appends to `faults`, *count of at most `most`. False: no memory. */
bool gr_overflow_run(const struct gr_sim_launch *launch, bool last_only,
                     struct gr_trace_fault *faults, int *count, int most,
                     struct gr_sim_outcome *outcome);

#endif
