/* sums.h: summarizes a sweep: the geometric mean of the ratios to the fastest library, and how
 * many rows are slower. SPDX-License-Identifier: MIT */
#ifndef RECORDS_SUMS_H
#define RECORDS_SUMS_H

#include "records/row.h"

/* A row counts as slower if the whole confidence interval of its ratio is below this. */
#define GR_LOSES_BELOW 0.97

/* The summary of the rows of one type and number of threads, or of all types or all numbers of
 * threads. */
struct gr_sum {
    bool all_types;
    struct gr_types types;
    int threads;  /* 0: all */
    int rows;     /* rows that have a ratio */
    double ratio; /* the geometric mean of the median ratios */
    int losing;
    int unsteady; /* rows that were left out because they are unsteady */
};

enum { GR_MOST_SUMS = 128 };

struct gr_sums {
    struct gr_sum items[GR_MOST_SUMS];
    int count;
};

/* Makes a summary for each type and number of threads, for each type with several numbers of
 * threads, and for all rows if there are several types, in the order of the rows. The libraries'
 * own rows are left out. */
void gr_sums_make(const struct gr_run *run, struct gr_sums *sums);
/* Does the row have a ratio that counts (that of an unsteady row does not), and is it slower? */
bool gr_row_counts_in(const struct gr_row *row, const struct gr_sum *sum);
bool gr_row_loses(const struct gr_row *row);

#endif
