/* dist_stationary.h: a product over many ranks with a stationary C. SPDX-License-Identifier: MIT
 *
 * A rank that has some rows and some columns of C needs those rows of op(A) and those columns of
 * op(B), with all of k. They are sent to it, however C is distributed, and one local product adds
 * to its part of C. That is SUMMA in one step: on a grid of pr x pc ranks, each rank receives about
 * mk/pr + kn/pc words. If k is small, that is less than redistributing C to the layout of a plan
 * and back. */
#ifndef DIST_DIST_STATIONARY_H
#define DIST_DIST_STATIONARY_H

#include "dist/dist_gemm.h"

/* Is this possible and, by the model, faster than the plan? The result is the same on all ranks. */
bool gr_dist_stationary_is_faster(const struct gr_dist_gemm *gemm,
                                  const struct gr_dist_machine *machine,
                                  const struct gr_dist_plan *plan);

/* Collective, like gr_dist_gemm_run, except that the plan is not read. C must be blocked or cyclic,
 * and not replicated along any axis. Each element is the sum of one local product. */
enum gradus_status gr_dist_stationary_run(const struct gr_dist_gemm *gemm,
                                          struct gr_dist_comm *comm, struct gradus_error *error);

#endif
