/* cublas_timing.h: what the GPU takes for a call, by events around it in its stream
 * (`gradus exec --gpu --time`). SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_TIMING_H
#define CUBLAS_CUBLAS_TIMING_H

#include "core/ledger.h"

#include <stdbool.h>

/* Was it asked for? */
bool gr_cublas_is_timed(void);

/* Records an event; the number is for gr_cublas_timing_end, which records the other. Negative: this
 * call is not timed, because the stream is being captured, or too many calls are under way. */
int gr_cublas_timing_begin(void *stream);
/* `key` null: not to be counted. */
void gr_cublas_timing_end(int number, void *stream, const struct gr_ledger_key *key,
                          int64_t products);

#endif
