/* edge_faults.h: finds faults that a kernel has at other shapes, or with other alpha and beta,
 * than those being explained. Many faults occur in partial tiles only.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EDGE_FAULTS_H
#define EXPLAIN_EDGE_FAULTS_H

#include "explain/request.h"
#include "sim/compile_host.h"

/* Traces the program `built` at the edge shapes that the kernel accepts, for at most about one and
 * a half seconds, and appends one finding for each fault, with the first shape that has it: a
 * warning, or a fault if the kernel is built-in. Only INTERRUPTED and errors of Gradus itself are
 * returned. */
enum gradus_status gr_edges_find(const struct gr_explain *ask,
                                 const struct gr_device_values *device_values,
                                 const struct gr_sim_built *built, struct gr_findings *findings,
                                 struct gradus_error *error);

/* If the kernel takes alpha and beta: traces it at the problem itself with values other than 1
 * and 0, and appends a finding for each fault, since a kernel accesses C differently if beta is
 * not 0. */
enum gradus_status gr_scaled_find(const struct gr_explain *ask,
                                  const struct gr_device_values *device_values,
                                  const struct gr_sim_built *built, struct gr_findings *findings,
                                  struct gradus_error *error);

/* Are two findings about the same fault, whatever their shapes? */
bool gr_edges_same(const struct gr_finding *a, const struct gr_finding *b);

#endif
