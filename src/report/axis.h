/* axis.h: scales, ticks and the positions of labels. SPDX-License-Identifier: MIT */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>

enum { GR_TICKS = 64 };

/* An axis: maps [lo, hi] onto [from, to] in pixels. `to` may be less than `from`, as for y, which
 * grows downwards in SVG. */
struct gr_axis {
    bool log;
    double lo, hi; /* lo < hi; both positive if log */
    double from, to;
};

double gr_axis_at(const struct gr_axis *axis, double value);

/* Finds round values inside [lo, hi], in ascending order, at most `most` (up to GR_TICKS). Returns
 * their number. On a linear axis they are multiples of 1, 2 or 5 times a power of ten (Heckbert
 * 1990); on a logarithmic axis, powers of ten and, if there is room, 2 and 5 times these. */
int gr_axis_ticks(const struct gr_axis *axis, int most, double ticks[GR_TICKS]);

/* Writes a round value in the shortest form, for example "0.25" or "1000". */
void gr_tick_word(double tick, char word[32]);

/* Moves the positions of `count` labels, which are ascending, first down and then up, until they
 * are at least `gap` apart and within [lo, hi]. */
void gr_spread(double *places, int count, double gap, double lo, double hi);

#endif
