/* fold.h: shortens a list of findings for people. Every access of a tile reports the same
 * missing barrier, so of many faults of one kind on one array only the first are shown, and a
 * line counts the others. Machine-readable formats list them all. SPDX-License-Identifier: MIT */
#ifndef RECORDS_FOLD_H
#define RECORDS_FOLD_H

#include "base/str.h"
#include "records/row.h"

/* A group of consecutive findings of the list. */
struct gr_fold {
    int first, count;
    int shown; /* how many of `count` are shown; gr_fold_format summarizes the others */
};

/* The group that begins at index `first`: faults of one kind on one array, or a single other
 * finding. */
struct gr_fold gr_fold_at(const struct gr_findings *list, int first);
/* Appends "and 33 more of this kind on As: lines 41, 52, ..."; nothing if all are shown. */
void gr_fold_format(const struct gr_findings *list, const struct gr_fold *fold, struct gr_str *out);

#endif
