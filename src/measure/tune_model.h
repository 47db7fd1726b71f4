/* tune_model.h: ranks candidates by the simulator's counts. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNE_MODEL_H
#define MEASURE_TUNE_MODEL_H

#include "measure/tune.h"

/* Verifies and counts each candidate, and sets its result: see gr_tune_run. */
enum gradus_status gr_tune_by_model(struct gr_session *session, const struct gr_tune_params *params,
                                    struct gr_tune *tune, struct gradus_error *error);

#endif
