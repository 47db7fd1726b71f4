/* sums.h: summarizes a sweep: the geometric mean of the ratios to the fastest library, and how
 * many rows are slower. SPDX-License-Identifier: MIT */
#ifndef RECORDS_SUMS_H
#define RECORDS_SUMS_H

#include "records/row.h"

/* A row counts as slower if the whole confidence interval of its ratio is below this. */
#define GR_LOSES_BELOW 0.97

/* The amount of work of a product: fewer floating-point operations (2*m*n*k) than a limit, and no
 * fewer than the limit before it. */
enum gr_work_class {
    GR_ANY_WORK,
    GR_WORK_20_KFLOP,
    GR_WORK_1_MFLOP,
    GR_WORK_100_MFLOP,
    GR_WORK_LARGER,
    GR_WORKS
};

/* The summary of the rows of one type, number of threads and class of work, or of all types, all
 * numbers of threads or any work. */
struct gr_sum {
    bool all_types;
    struct gr_types types;
    int threads; /* 0: all */
    int callers; /* of all rows of the run */
    enum gr_work_class work;
    int rows;     /* rows that have a ratio */
    double ratio; /* the geometric mean of the median ratios */
    /* The lowest of the median ratios, and their 5th and 10th percentiles. */
    double lowest, twentieth, tenth;
    int below;    /* rows whose median ratio is below GR_LOSES_BELOW */
    int losing;   /* rows whose whole interval is below it */
    int unsteady; /* rows that were left out because they are unsteady */
};

enum { GR_MOST_SUMS = 256 };

struct gr_sums {
    struct gr_sum items[GR_MOST_SUMS];
    int count;
};

/* Makes a summary for each type and number of threads, for each type with several numbers of
 * threads, and for all rows if there are several types, in the order of the rows. If the means of a
 * run are by work, the summary of a type and number of threads is preceded by one for each class of
 * work. The libraries' own rows are left out. */
void gr_sums_make(const struct gr_run *run, struct gr_sums *sums);
/* Do both have the same types and number of threads, whatever the work is? */
bool gr_sum_is_like(const struct gr_sum *x, const struct gr_sum *y);
/* The name of a class, such as "under 20 kFLOP"; empty for GR_ANY_WORK. */
const char *gr_work_words(enum gr_work_class work);
/* Does the row have a ratio that counts (that of an unsteady row does not), and is it slower? */
bool gr_row_counts_in(const struct gr_row *row, const struct gr_sum *sum);
bool gr_row_loses(const struct gr_row *row);

#endif
