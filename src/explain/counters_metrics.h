/* counters_metrics.h: the metrics that are requested from ncu, and their names here.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_METRICS_H
#define EXPLAIN_COUNTERS_METRICS_H

struct gr_counters_metric {
    const char *name;  /* ncu's name */
    const char *key;   /* of the fact */
    const char *label; /* shown to the user */
    const char *ours;  /* the computed fact for the same quantity; null: none */
    double ours_scale; /* factor from our unit to ncu's */
    const char *unit;
};

extern const struct gr_counters_metric gr_counters_metrics[];
extern const int gr_counters_metric_count;

#endif
