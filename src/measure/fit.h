/* fit.h: a size that a slow kernel can be timed at. SPDX-License-Identifier: MIT */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include "measure/trial.h"

/* The problem itself, or, when one product would take more than a tenth of the time limit, the
 * largest halving of all its dimensions that does not. What the kernel does wrong on the way (a
 * time-out) is in `outcome`; a crash at a smaller size than asked decides nothing. */
enum gradus_status gr_fit(struct gr_session *session, const struct gr_entrant *entrant,
                          const struct gr_problem *problem, struct gr_problem *fitted,
                          struct gr_outcome *outcome, struct gradus_error *error);

#endif
