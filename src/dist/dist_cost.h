/* dist_cost.h: what one grid costs, by the model. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COST_H
#define DIST_DIST_COST_H

#include "dist/dist_plan.h"

/* The best of a grid's ways to step. It fills in all of *plan but `bound` and `efficiency`. False
 * where none fits into the memory. *least_bytes becomes the least memory that any of them takes, if
 * that is less than what it is. */
bool gr_dist_cost(const struct gr_dist_problem *problem, const struct gr_dist_machine *machine,
                  const int64_t grid[3], struct gr_dist_plan *plan, int64_t *least_bytes);

/* A lower bound of the time of all plans with this grid, at a fraction of the cost. Not `exact`:
 * one that leaves out what is sent of C, so that it also holds with fewer parts of k. */
double gr_dist_least_time(const struct gr_dist_problem *problem,
                          const struct gr_dist_machine *machine, const int64_t grid[3], bool exact);

/* True if plan x is to be preferred. */
bool gr_dist_better(const struct gr_dist_plan *x, const struct gr_dist_plan *y);

/* Each number of parts that is the smallest for its largest part ceil(size / parts): more parts of
 * the same size only add ranks. */
int64_t gr_dist_fewest_parts(int64_t size, int64_t parts);

#endif
