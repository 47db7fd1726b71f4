/* sample_callers.h: takes a sample of several callers, each of which computes products of its own
 * at the same time as the others. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SAMPLE_CALLERS_H
#define MEASURE_SAMPLE_CALLERS_H

#include "measure/worker.h"

/* The number of callers of the worker, 1 or more. */
int gr_callers_of(const struct gr_worker *worker);

/* Runs up to `times` products of each caller with candidate number e of the request. *ns is the
 * time of a product such that this number of callers with this time has the same sum of rates.
 * Caller i uses the operand sets i, i + callers, i + 2 callers, … of the rotation. */
enum gradus_status gr_callers_sample(struct gr_worker *worker, const struct gr_request *request,
                                     int e, int times, double *ns, struct gradus_error *error);

/* The operand set of the last product of a caller in the last sample. */
int gr_caller_last_set(const struct gr_worker *worker, int caller);

/* Overwrites C in every set that the last sample used, except in set `kept` (-1: none). */
enum gradus_status gr_callers_overwrite(struct gr_worker *worker, const struct gr_request *request,
                                        int kept, struct gradus_error *error);

#endif
