/* stats.h: medians and their confidence intervals. Medians are used because times have outliers
 * on one side. SPDX-License-Identifier: MIT */
#ifndef MEASURE_STATS_H
#define MEASURE_STATS_H

#include "records/row.h"

/* Median, minimum and interquartile range; sorts `samples`. */
struct gr_stat gr_stat_of(double *samples, int n);
/* The median of the samples with a distribution-free 95 % confidence interval from order
 * statistics (the whole range if there are fewer than six); sorts `samples`. */
struct gr_ratio gr_ratio_of(double *samples, int n);

#endif
