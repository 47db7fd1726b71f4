/* axis.h: scales, ticks and the places of labels. SPDX-License-Identifier: MIT */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>

enum { GR_TICKS = 64 };

/* Maps [lo, hi] onto [from, to] pixels; `to` may be below `from` (y grows downwards). */
struct gr_axis {
    bool log;
    double lo, hi; /* lo < hi; positive when log */
    double from, to;
};

double gr_axis_at(const struct gr_axis *axis, double value);

/* Round values inside [lo, hi], at most `most` (up to GR_TICKS), ascending; returns their number.
 * On a linear axis they are multiples of 1, 2 or 5 times a power of ten (Heckbert 1990); on a
 * logarithmic one powers of ten, with 2 and 5 between them where there is room. */
int gr_axis_ticks(const struct gr_axis *axis, int most, double ticks[GR_TICKS]);

/* The shortest text of a round value: "0.25", "1000". */
void gr_tick_word(double tick, char word[32]);

/* Moves the places of `count` labels, given ascending, down and then back up until they are `gap`
 * apart and within [lo, hi]. */
void gr_spread(double *places, int count, double gap, double lo, double hi);

#endif
