/* grid_step.h: the tile of C that a block computes, read off the steps in which the grid grows with
 * the problem. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_GRID_STEP_H
#define EXPLAIN_GRID_STEP_H

#include "catalog/variant.h"

struct gr_grid_step {
    int64_t tile;  /* the grid grows each time the extent does by so much; 0: it does not grow,
                    * or a search chooses tiles of other sizes for each problem */
    int64_t slack; /* so much more would need no larger grid: 0 if the last tile is whole */
};

/* The step along M (`along_n` false) or N. */
struct gr_grid_step gr_grid_step_along(const struct gr_variant *variant,
                                       const struct gr_device_values *device_values,
                                       const struct gr_problem *problem, bool along_n);

#endif
