/* stats.h: medians and their intervals. SPDX-License-Identifier: MIT */
#ifndef LAB_STATS_H
#define LAB_STATS_H

#include "core/row.h"

/* Median, minimum and interquartile range; sorts `samples`. */
struct gr_stat gr_stat_of(double *samples, int n);
/* The median of the samples with a distribution-free 95 % interval from order statistics (the whole
 * range when there are fewer than six); sorts `samples`. */
struct gr_ratio gr_ratio_of(double *samples, int n);

#endif
