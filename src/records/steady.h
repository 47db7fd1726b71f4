/* steady.h: decides whether the times of a row are reliable, or disturbed by other work on the
 * machine. Unreliable rows are shown but not compared, so that chance is not reported as a
 * difference. SPDX-License-Identifier: MIT */
#ifndef RECORDS_STEADY_H
#define RECORDS_STEADY_H

#include "base/str.h"
#include "records/row.h"

/* A round takes one sample of each candidate. It counts as disturbed if its threads waited for a
 * core during more than this share of it. The value is the smallest difference that comparisons
 * report (GR_LOSES_BELOW, the default tolerance of --baseline). */
#define GR_DISTURBED_ABOVE 0.03
/* If at most this share of the rounds is disturbed, the median, the quartiles and the confidence
 * interval of the median can be trusted even if all disturbed rounds err in the same direction;
 * quartiles break down beyond it. */
#define GR_MOST_DISTURBED 0.25
/* Disturbances that cause no waiting (another guest of the same host, another program on the
 * same GPU, a varying clock) show in the samples: a row is unsteady if the interval of its
 * ratio, or without a peer the range between the quartiles of its times, is wider than this
 * share of the median. The widest interval in README.md is 0.16. */
#define GR_WIDEST 0.25

/* False for a row that shows no speed. Nothing is concluded from an unsteady row: it is neither
 * faster nor slower, has no fraction of the peak, and is not drawn in the roofline. */
bool gr_row_is_unsteady(const struct gr_row *row);
/* Appends one line that says why; nothing for a steady row. */
void gr_row_format_unsteady(const struct gr_row *row, struct gr_str *out);
/* Appends one line with the number of unsteady rows and what to do; nothing if all are steady. */
void gr_run_format_unsteady(const struct gr_run *run, struct gr_str *out);
/* The row compared with its peer: "unsteady", or gr_ratio_word. */
const char *gr_row_word(const struct gr_row *row);

#endif
