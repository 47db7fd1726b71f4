/* dist_stationary.h: a product over many ranks that leaves C where it is.
 * SPDX-License-Identifier: MIT
 *
 * A rank that has some rows and some columns of C needs those rows of op(A) and those columns of
 * op(B), and all of k. They are brought to it, however C is dealt out, and one local product adds
 * to its part of C. That is SUMMA in one step: on a grid of pr x pc ranks each receives about
 * mk/pr + kn/pc words. Where k is small, that is less than bringing C into the layout of a plan and
 * back. */
#ifndef DIST_DIST_STATIONARY_H
#define DIST_DIST_STATIONARY_H

#include "dist/dist_gemm.h"

/* Is it possible, and faster than by the plan, by the model? The same on all ranks. */
bool gr_dist_stationary_is_faster(const struct gr_dist_gemm *gemm,
                                  const struct gr_dist_machine *machine,
                                  const struct gr_dist_plan *plan);

/* Collective, as gr_dist_gemm_run is, but for the plan, which is not read: C is blocked or cyclic,
 * and nowhere replicated. Each element is the sum that one local product makes. */
enum gradus_status gr_dist_stationary_run(const struct gr_dist_gemm *gemm,
                                          struct gr_dist_comm *comm, struct gradus_error *error);

#endif
