/* fit.h: chooses a size at which a slow kernel can be timed, so that a naive kernel does not
 * exceed the time limit. SPDX-License-Identifier: MIT */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include "measure/trial.h"

/* Returns the problem itself or, if one GEMM would take more than a tenth of the time limit, the
 * problem with all dimensions halved as often as necessary. A failure of the kernel on the way
 * (a time-out) is stored in `outcome`; a crash at a smaller size than the requested one is not. */
enum gradus_status gr_fit(struct gr_session *session, const struct gr_candidate *candidate,
                          const struct gr_problem *problem, struct gr_problem *fitted,
                          struct gr_outcome *outcome, struct gradus_error *error);

#endif
