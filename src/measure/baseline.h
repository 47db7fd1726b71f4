/* baseline.h: this run against an earlier one. SPDX-License-Identifier: MIT */
#ifndef MEASURE_BASELINE_H
#define MEASURE_BASELINE_H

#include "records/row.h"

enum gr_change {
    GR_CHANGE_NEW,
    GR_CHANGE_FASTER,
    GR_CHANGE_EVEN,
    GR_CHANGE_SLOWER,
    GR_CHANGE_BROKEN,
    GR_CHANGE_UNSTEADY, /* either of the two, so they are not compared */
    GR_CHANGES
};

const char *gr_change_word(enum gr_change change);

/* The row of `old` with the same kernel, type, shape, transposes, threads and cache state, or null.
 */
const struct gr_row *gr_baseline_find(const struct gr_run *old, const struct gr_row *row);

/* How `row` stands to its old self. Where both stood beside the same peer, their shares of it are
 * compared, which a busy or throttled machine moves less than times; else their times. Faster or
 * slower: the intervals (medians with a quartile each side, for times) are apart and the medians
 * differ by more than `tolerance` (0.03). BROKEN: it was right and is not. *ratio: new speed over
 * old; 0 where they are not compared. */
enum gr_change gr_baseline_compare(const struct gr_row *old, const struct gr_row *row,
                                   double tolerance, double *ratio);

#endif
