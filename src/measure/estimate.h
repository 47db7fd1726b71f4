/* estimate.h: estimates the remaining time of a run, from its plan and the durations of its
 * finished rows. SPDX-License-Identifier: MIT */
#ifndef MEASURE_ESTIMATE_H
#define MEASURE_ESTIMATE_H

#include "records/row.h"

#include <stdbool.h>
#include <stdint.h>

/* What the duration of a row depends on, apart from its kernel. */
struct gr_estimate_terms {
    int64_t time_limit_ns, budget_ns; /* as in struct gr_options */
    bool verify_only;
};

/* The state of one row of the plan. */
struct gr_estimate_row;

struct gr_estimate {
    const struct gr_run *plan;
    struct gr_estimate_terms terms;
    struct gr_estimate_row *rows; /* one for each row of the plan */
    int current;                  /* the row that is being measured; -1: none */
    int64_t since_ns;             /* when the current row, or the pause between two rows, began */
};

/* `plan` is the one that the follower receives (records/follow.h), and must outlive the
 * estimate. False: memory is out. */
bool gr_estimate_begin(struct gr_estimate *estimate, const struct gr_run *plan,
                       const struct gr_estimate_terms *terms, int64_t now_ns);
void gr_estimate_free(struct gr_estimate *estimate);

/* Reports that a row begins, and that a row has ended, with its result. A row that was taken
 * over from an earlier run took no time. */
void gr_estimate_row_begins(struct gr_estimate *estimate, int index, int64_t now_ns);
void gr_estimate_row_ends(struct gr_estimate *estimate, int index, const struct gr_row *row,
                          bool kept, int64_t now_ns);

/* The remaining nanoseconds; -1 if they cannot be estimated to within a factor of two. */
int64_t gr_estimate_left(const struct gr_estimate *estimate, int64_t now_ns);

#endif
