/* dist_bound.c: lower bounds of the number of words sent. SPDX-License-Identifier: MIT */
#include "dist/dist_bound.h"

#include <math.h>

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Sorts in falling order. */
static void sort(double size[3])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (size[j] < size[j + 1]) {
                const double t = size[j];
                size[j] = size[j + 1];
                size[j + 1] = t;
            }
}

struct gr_dist_bound gr_dist_bound(const struct gr_dist_problem *problem, int64_t ranks,
                                   int64_t memory_words)
{
    double size[3] = {(double)problem->m, (double)problem->n, (double)problem->k};
    sort(size);
    const double m = size[0], n = size[1], k = size[2], p = (double)ranks;
    struct gr_dist_bound bound = {.regime = 3};
    if (k == 0)
        return bound;
    double touched = 3 * pow(m * n * k / p, 2.0 / 3);
    if (p <= m / n) {
        bound.regime = 1;
        touched = n * k + (m * n + m * k) / p;
    } else if (p <= m * n / (k * k)) {
        bound.regime = 2;
        touched = 2 * sqrt(m * n * k * k / p) + m * n / p;
    }
    bound.independent = larger(touched - (m * n + m * k + n * k) / p, 0);
    if (memory_words > 0) {
        const double s = (double)memory_words;
        bound.dependent = larger(2 * m * n * k / (p * sqrt(s)) - 2 * s, 0);
    }
    bound.words = larger(bound.independent, bound.dependent);
    return bound;
}
