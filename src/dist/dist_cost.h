/* dist_cost.h: the cost of one grid by the model. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COST_H
#define DIST_DIST_COST_H

#include "dist/dist_plan.h"

/* Finds the best way to divide a grid's product into steps. Fills in all of *plan except `bound`
 * and `efficiency`. Returns false if none fits in memory. *least_bytes is lowered to the least
 * memory that any of them needs. */
bool gr_dist_cost(const struct gr_dist_problem *problem, const struct gr_dist_machine *machine,
                  const int64_t grid[3], struct gr_dist_plan *plan, int64_t *least_bytes);

/* A lower bound of the time of all plans with this grid, which is much cheaper to compute. Without
 * `exact`, it leaves out what is sent of C, so that it also holds with fewer parts of k. */
double gr_dist_least_time(const struct gr_dist_problem *problem,
                          const struct gr_dist_machine *machine, const int64_t grid[3], bool exact);

/* Returns true if plan x is better than plan y. */
bool gr_dist_better(const struct gr_dist_plan *x, const struct gr_dist_plan *y);

/* Returns the smallest number of parts whose largest part is still ceil(size / parts). More parts
 * of that size would only add ranks. */
int64_t gr_dist_fewest_parts(int64_t size, int64_t parts);

#endif
