/* baseline.h: compares this run with an earlier one. SPDX-License-Identifier: MIT */
#ifndef MEASURE_BASELINE_H
#define MEASURE_BASELINE_H

#include "records/row.h"

enum gr_change {
    GR_CHANGE_NEW,
    GR_CHANGE_FASTER,
    GR_CHANGE_EVEN,
    GR_CHANGE_SLOWER,
    GR_CHANGE_BROKEN,
    GR_CHANGE_UNSTEADY, /* one of the two rows is unsteady, so they are not compared */
    GR_CHANGES
};

const char *gr_change_word(enum gr_change change);

/* The row of `old` with the same kernel, type, shape, transposes, threads and cache state, or
 * null. */
const struct gr_row *gr_baseline_find(const struct gr_run *old, const struct gr_row *row);

/* Compares `row` with its counterpart in `old`. If both were timed against the same peer, the
 * ratios to it are compared, because a busy or throttled machine changes them less than times;
 * else the times are. Faster or slower: the intervals do not overlap (for times, the
 * interquartile ranges) and the medians differ by more than `tolerance` (0.03). BROKEN: it was
 * correct and no longer is. *ratio: new speed divided by old speed; 0 if they are not compared. */
enum gr_change gr_baseline_compare(const struct gr_row *old, const struct gr_row *row,
                                   double tolerance, double *ratio);

#endif
