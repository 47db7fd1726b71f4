/* follow.h: callbacks that report the progress of a run, so that an output format can show rows
 * as they are measured. SPDX-License-Identifier: MIT */
#ifndef RECORDS_FOLLOW_H
#define RECORDS_FOLLOW_H

#include "records/row.h"

#include <stddef.h>

struct gr_explain;
struct gr_explained;

/* Each function may be null. They are called on the thread that measures, and only between
 * measurements. */
struct gr_follower {
    void *context;
    /* Called before the first measurement, with one row for each row of the run, in its order. A
     * planned row has its problem and command; whether time_ns.n, counts.known and peer.name are
     * set says which values it will have. `plan` outlives the run. */
    void (*plan)(void *context, const struct gr_run *plan);
    /* Row `index` of the plan will be measured next. */
    void (*begin)(void *context, int index);
    /* The current step, for that row or before the first row: "verifying". */
    void (*stage)(void *context, const char *stage);
    /* The explanation of the row's kernel; the row itself has only a few of the counts. */
    void (*explained)(void *context, const struct gr_explain *ask,
                      const struct gr_explained *explained);
    /* The row is measured. `kept`: it was taken over from an earlier run. */
    void (*end)(void *context, int index, const struct gr_row *row, bool kept);
    /* The next finished row, in the run's order. `aside` has rows of the same problem that are
     * already measured but come later in that order. */
    void (*row)(void *context, const struct gr_row *row, const struct gr_run *aside);
};

/* Reports the current step to a follower, which may be null. */
static inline void gr_follower_stage(const struct gr_follower *follower, const char *stage)
{
    if (follower && follower->stage)
        follower->stage(follower->context, stage);
}

#endif
