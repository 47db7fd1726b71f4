/* estimate.h: how long a run will still take, from its plan and what its rows have taken so far.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_ESTIMATE_H
#define MEASURE_ESTIMATE_H

#include "records/row.h"

#include <stdbool.h>
#include <stdint.h>

/* What a row's time depends on besides its kernel. */
struct gr_estimate_terms {
    int64_t time_limit_ns, budget_ns; /* as in struct gr_options */
    bool verify_only;
};

/* What is known of one row of the plan. */
struct gr_estimate_row;

struct gr_estimate {
    const struct gr_run *plan;
    struct gr_estimate_terms terms;
    struct gr_estimate_row *rows; /* one a row of the plan */
    int current;                  /* the row that is being measured; -1: none */
    int64_t since_ns;             /* when that row, or what lies between two rows, began */
};

/* `plan` is the follower's (records/follow.h) and outlives the estimate. False: out of memory. */
bool gr_estimate_begin(struct gr_estimate *estimate, const struct gr_run *plan,
                       const struct gr_estimate_terms *terms, int64_t now_ns);
void gr_estimate_free(struct gr_estimate *estimate);

/* A row is begun; a row is done, and what has become of it. One that is kept has taken no time. */
void gr_estimate_row_begins(struct gr_estimate *estimate, int index, int64_t now_ns);
void gr_estimate_row_ends(struct gr_estimate *estimate, int index, const struct gr_row *row,
                          bool kept, int64_t now_ns);

/* Nanoseconds still to go; -1 where that cannot be told to within a factor of two. */
int64_t gr_estimate_left(const struct gr_estimate *estimate, int64_t now_ns);

#endif
