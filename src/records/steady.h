/* steady.h: whether a row's figures are its kernel's, or those of what else went on.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_STEADY_H
#define RECORDS_STEADY_H

#include "base/str.h"
#include "records/row.h"

/* A round (a sample of each entrant) is disturbed when its threads waited for a core for more than
 * this share of it: what comparisons call a difference begins there (GR_LOSES_BELOW, the default
 * tolerance of --baseline). */
#define GR_DISTURBED_ABOVE 0.03
/* Medians, quartiles and the interval of the median are those of undisturbed rounds as long as
 * fewer than a quarter are disturbed, be they all to one side: that is where quartiles break down.
 */
#define GR_MOST_DISTURBED 0.25
/* What no wait tells (a neighbour on the same host, another program on the same GPU, a clock that
 * wanders), the samples do: the interval of a ratio, or without a peer the quartiles of the times,
 * are wider than this share of the median. The widest that README.md shows is 0.16. */
#define GR_WIDEST 0.25

/* False for a row that shows no speed. Of an unsteady row nothing is claimed: it is neither faster
 * nor slower, has no share of the peak, and is drawn under no roof. */
bool gr_row_is_unsteady(const struct gr_row *row);
/* Appends why: one clean line. Nothing for a steady row. */
void gr_row_say_unsteady(const struct gr_row *row, struct gr_str *out);
/* Appends how many rows are, and what to do: one clean line. Nothing where all are steady. */
void gr_run_say_unsteady(const struct gr_run *run, struct gr_str *out);
/* How the row stands to its peer: "unsteady", or gr_ratio_word. */
const char *gr_row_word(const struct gr_row *row);

#endif
