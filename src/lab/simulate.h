/* simulate.h: a kernel's launches, traced without a GPU. SPDX-License-Identifier: MIT */
#ifndef LAB_SIMULATE_H
#define LAB_SIMULATE_H

#include "lab/explain.h"

/* Traces the launches of `plan` into explained->traces. Whatever keeps them from being simulated, or ends the
 * simulation, is told in explained->untraced and is no error; COMPILE is one, with the compiler's words in error->log. */
enum gradus_status gr_simulate(const struct gr_explain *ask, const struct gr_givens *givens,
                               const struct gr_plan *plan, struct gr_explained *explained,
                               struct gradus_error *error);

#endif
