/* explain_pair.h: two kernels for one problem and device, side by side on one page.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAIN_PAIR_H
#define REPORT_EXPLAIN_PAIR_H

#include "report/explain_page.h"

/* A line of the comparison as it is shown. Unknown values are "". */
struct gr_pair_row {
    const char *label;
    char values[2][40];
    char ratio[16]; /* the second divided by the first */
};

/* The pair owns none of its members. */
struct gr_explain_pair {
    const struct gr_explain_page *pages[2];
    const char *circumstances; /* of both kernels, one paragraph in each line */
    const struct gr_pair_row *rows;
    int row_count;
    const char *command;
};

/* The folders, inside that of the pair, for the pages of the two kernels. */
extern const char *const gr_pair_folders[2];

/* Creates the directory and writes index.html into it, and the roofline of both kernels as
 * roofline.svg, .gp and .dat. The page links to explain.json and explain.md next to it, and to
 * index.html in both folders. */
enum gradus_status gr_explain_pair_write(const struct gr_explain_pair *pair, const char *directory,
                                         struct gradus_error *error);

#endif
