/* sums.h: a sweep summed up: geometric means of the ratios to the fastest library, and how many
 * lose. SPDX-License-Identifier: MIT */
#ifndef RECORDS_SUMS_H
#define RECORDS_SUMS_H

#include "records/row.h"

/* A row loses where the whole interval of its ratio lies below this. */
#define GR_LOSES_BELOW 0.97

/* Of the rows of one type and number of threads; of all types, or all numbers of threads. */
struct gr_sum {
    bool all_types;
    struct gr_types types;
    int threads;  /* 0: all */
    int rows;     /* that have a ratio */
    double ratio; /* geometric mean of their medians */
    int losing;
    int unsteady; /* rows that were left out for that */
};

enum { GR_MOST_SUMS = 128 };

struct gr_sums {
    struct gr_sum items[GR_MOST_SUMS];
    int count;
};

/* For each type the sums of each number of threads and, where there are several, of all; then those
 * of all rows, where there are several types. In the order of the rows; peers' own rows are left
 * out. */
void gr_sums_make(const struct gr_run *run, struct gr_sums *sums);
/* Has the row a ratio that counts (an unsteady one does not), and does it lose? */
bool gr_row_counts_in(const struct gr_row *row, const struct gr_sum *sum);
bool gr_row_loses(const struct gr_row *row);

#endif
