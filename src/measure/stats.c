/* stats.c: medians and their confidence intervals. SPDX-License-Identifier: MIT */
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Interpolates linearly between order statistics; q in [0, 1], `sorted` is ascending, n >= 1. */
static double quantile(const double *sorted, int n, double q)
{
    double place = q * (n - 1);
    int below = (int)place;
    double rest = place - below;
    return below + 1 < n ? sorted[below] * (1 - rest) + sorted[below + 1] * rest : sorted[below];
}

struct gr_stat gr_stat_of(double *samples, int n)
{
    if (n <= 0)
        return (struct gr_stat){0};
    qsort(samples, (size_t)n, sizeof *samples, ascending);
    return (struct gr_stat){.median = quantile(samples, n, 0.5),
                            .min = samples[0],
                            .iqr = quantile(samples, n, 0.75) - quantile(samples, n, 0.25),
                            .n = n};
}

struct gr_ratio gr_ratio_of(double *samples, int n)
{
    if (n <= 0)
        return (struct gr_ratio){0};
    qsort(samples, (size_t)n, sizeof *samples, ascending);
    /* The number of samples below the true median has the distribution binomial(n, 1/2); these
     * are 1.96 standard deviations around its mean. */
    int lo = (int)floor((n - 1.96 * sqrt(n)) / 2), hi = n - 1 - lo;
    if (n < 6 || lo < 0) {
        lo = 0;
        hi = n - 1;
    }
    return (struct gr_ratio){
        .median = quantile(samples, n, 0.5), .lo = samples[lo], .hi = samples[hi], .n = n};
}
