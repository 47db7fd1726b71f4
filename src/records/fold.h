/* fold.h: many faults of one kind on one array, for people: a missing barrier is seen by every
 * access of the tile behind it. The first ones are shown, the others told of in a line. Programs
 * get them all. SPDX-License-Identifier: MIT */
#ifndef RECORDS_FOLD_H
#define RECORDS_FOLD_H

#include "base/str.h"
#include "records/row.h"

/* Findings from the list's `first` on that are one group. */
struct gr_fold {
    int first, count;
    int shown; /* of `count`; the others are told of by gr_fold_say */
};

/* The group that begins at `first`: faults of one kind on one array, or any one finding. */
struct gr_fold gr_fold_at(const struct gr_findings *list, int first);
/* Appends "and 33 more of this kind on As: lines 41, 52, ..."; nothing where all are shown. */
void gr_fold_say(const struct gr_findings *list, const struct gr_fold *fold, struct gr_str *out);

#endif
