/* race_look.h: races through global memory, which are seen where all blocks are followed one after
 * another. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_RACE_LOOK_H
#define EXPLAIN_RACE_LOOK_H

#include "explain/explain.h"
#include "sim/compile_host.h"

/* A problem like the asked one that is small enough for that: as many blocks along each axis of the
 * grid as make a difference, and where the grid goes by K, slices of it. The asked one itself where
 * no smaller one will do. */
struct gr_problem gr_races_problem(const struct gr_explain *ask, const struct gr_givens *givens);
/* Is that the asked one? Then its own trace looks for races. */
bool gr_races_here(const struct gr_explain *ask, const struct gr_problem *problem);

/* Traces the program `built` for that problem, and appends a finding for each race through global
 * memory. An error is INTERRUPTED or Gradus's own. */
enum gradus_status gr_races_look(const struct gr_explain *ask, const struct gr_givens *givens,
                                 const struct gr_problem *problem, const struct gr_sim_built *built,
                                 struct gr_findings *findings, struct gradus_error *error);

#endif
