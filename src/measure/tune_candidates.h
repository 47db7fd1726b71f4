/* tune_candidates.h: the candidates of a tuning, before one of them is built.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNE_CANDIDATES_H
#define MEASURE_TUNE_CANDIDATES_H

#include "measure/tune.h"

/* The most candidates of a tuning: those that a worker can hold. */
enum { GR_TUNE_CANDIDATES = 192 };

/* Lists the combinations that the kernel's `require` admits at the problem, in an order that the
 * session's seed decides, the default first. Where there are more than GR_TUNE_CANDIDATES, so many
 * are drawn. Fills tune->combinations, refused, refusal, drawn, candidates and count. */
enum gradus_status gr_tune_list(const struct gr_session *session,
                                const struct gr_tune_params *params, struct gr_tune *tune,
                                struct gradus_error *error);

#endif
