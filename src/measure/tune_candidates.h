/* tune_candidates.h: the candidates of a tuning, before they are built.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNE_CANDIDATES_H
#define MEASURE_TUNE_CANDIDATES_H

#include "measure/tune.h"

/* The maximal number of candidates, which a worker can hold. */
enum { GR_TUNE_CANDIDATES = 192 };

/* Lists the combinations that the kernel's `require` admits at the problem, with the default first
 * and the others in an order given by the session's seed. If there are more than
 * GR_TUNE_CANDIDATES, draws this many. Fills tune->combinations, refused, refusal, drawn,
 * candidates and count. */
enum gradus_status gr_tune_list(const struct gr_session *session,
                                const struct gr_tune_params *params, struct gr_tune *tune,
                                struct gradus_error *error);

#endif
