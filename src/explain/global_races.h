/* global_races.h: finds races through global memory, which requires tracing all blocks one after
 * another. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_GLOBAL_RACES_H
#define EXPLAIN_GLOBAL_RACES_H

#include "explain/request.h"
#include "sim/compile_host.h"

/* A problem like the requested one that is small enough to trace completely: in each dimension
 * of the grid it has as many blocks as are needed to show every kind of neighbourhood, and
 * several slices of K if the grid is divided along K. The requested problem itself if no smaller
 * one is possible. */
struct gr_problem gr_races_problem(const struct gr_explain *ask,
                                   const struct gr_device_values *device_values);
/* Is that the requested problem? Then its own trace looks for races. */
bool gr_races_in_own_trace(const struct gr_explain *ask, const struct gr_problem *problem);

/* Traces the program `built` for that problem and appends a finding for each race through global
 * memory. Only INTERRUPTED and errors of Gradus itself are returned. */
enum gradus_status gr_races_find(const struct gr_explain *ask,
                                 const struct gr_device_values *device_values,
                                 const struct gr_problem *problem, const struct gr_sim_built *built,
                                 struct gr_findings *findings, struct gradus_error *error);

#endif
