/* cublas_timing.h: measures the GPU's time for each call, by events before and after it in its
 * stream (`gradus exec --gpu --time`). SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_TIMING_H
#define CUBLAS_CUBLAS_TIMING_H

#include "core/ledger.h"

#include <stdbool.h>

/* Has the user asked for these times? */
bool gr_cublas_is_timed(void);

/* Records the first event of a call and returns a number for gr_cublas_timing_end, which records
 * the second. The number is negative if the call is not timed, because the stream is being captured
 * or too many calls have not ended yet. */
int gr_cublas_timing_begin(void *stream);
/* Records the second event. If `key` is null, the call is not counted. */
void gr_cublas_timing_end(int number, void *stream, const struct gr_ledger_key *key,
                          int64_t products);

#endif
