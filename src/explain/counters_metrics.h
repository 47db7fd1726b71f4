/* counters_metrics.h: which of ncu's metrics are asked for, and what they are called here.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_METRICS_H
#define EXPLAIN_COUNTERS_METRICS_H

struct gr_counters_metric {
    const char *name;  /* ncu's */
    const char *key;   /* of the fact */
    const char *label; /* for people */
    const char *ours;  /* the fact that says the same without counting; null: none */
    double ours_scale; /* ours times this is in ncu's unit */
    const char *unit;
};

extern const struct gr_counters_metric gr_counters_metrics[];
extern const int gr_counters_metric_count;

#endif
