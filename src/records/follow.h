/* follow.h: who is told how a run goes on. SPDX-License-Identifier: MIT */
#ifndef RECORDS_FOLLOW_H
#define RECORDS_FOLLOW_H

#include "records/row.h"

#include <stddef.h>

struct gr_explain;
struct gr_explained;

/* Each function may be null. They are called on the thread that measures, and between measurements
 * only. */
struct gr_follower {
    void *context;
    /* Before anything is measured: a row for each that there will be, in the run's order. It has
     * what a row is about and its command; time_ns.n, counts.known and peer.name tell what it will
     * have. It outlives the run. */
    void (*plan)(void *context, const struct gr_run *plan);
    /* Row `index` of the plan is the next to be measured. */
    void (*begin)(void *context, int index);
    /* What is being done, for that row or before the first: "verifying". */
    void (*stage)(void *context, const char *stage);
    /* What can be told of its kernel; the row has a few of the counts. */
    void (*explained)(void *context, const struct gr_explain *ask,
                      const struct gr_explained *explained);
    /* It is measured; `kept`: an earlier run had done it. */
    void (*end)(void *context, int index, const struct gr_row *row, bool kept);
    /* The run's next row, in its order. `aside` has rows of the same problem that are measured and
     * come later. */
    void (*row)(void *context, const struct gr_row *row, const struct gr_run *aside);
};

/* Tells a follower, which may be null, what is being done. */
static inline void gr_follower_stage(const struct gr_follower *follower, const char *stage)
{
    if (follower && follower->stage)
        follower->stage(follower->context, stage);
}

#endif
