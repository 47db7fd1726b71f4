/* edge_faults.h: the faults that a kernel has at other shapes than the one it is explained at.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EDGE_FAULTS_H
#define EXPLAIN_EDGE_FAULTS_H

#include "explain/explain.h"
#include "sim/compile_host.h"

/* Traces the program `built` at the edge shapes that the kernel does not refuse, for a second or
 * so, and appends a finding for each fault, once, with the first shape that has it: a warning, or
 * of a built-in kernel a fault. An error is INTERRUPTED or Gradus's own. */
enum gradus_status gr_edges_look(const struct gr_explain *ask, const struct gr_givens *givens,
                                 const struct gr_sim_built *built, struct gr_findings *findings,
                                 struct gradus_error *error);

/* Traces it at the problem itself with an alpha and a beta that scale, where the kernel takes them,
 * and appends a finding for each fault: what a kernel does with C where beta is not 0 is no small
 * part of it. */
enum gradus_status gr_scaled_look(const struct gr_explain *ask, const struct gr_givens *givens,
                                  const struct gr_sim_built *built, struct gr_findings *findings,
                                  struct gradus_error *error);

/* True where two findings are of one fault, whatever the shape. */
bool gr_edges_same(const struct gr_finding *a, const struct gr_finding *b);

#endif
