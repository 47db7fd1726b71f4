/* explain_pair.h: two kernels for one problem and device, side by side on one page.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAIN_PAIR_H
#define REPORT_EXPLAIN_PAIR_H

#include "report/explain_page.h"

/* A line of the comparison, as it is shown; "" where a value is not known. */
struct gr_pair_row {
    const char *label;
    char values[2][40];
    char ratio[16]; /* of the second to the first */
};

/* Nothing is owned. */
struct gr_explain_pair {
    const struct gr_explain_page *pages[2];
    const char *circumstances; /* of both: a paragraph a line */
    const struct gr_pair_row *rows;
    int row_count;
    const char *command;
};

/* The folders, in that of the pair, with the pages of the single kernels. */
extern const char *const gr_pair_folders[2];

/* Writes into the directory, which is made: index.html, and the roofline of both as roofline.svg,
 * .gp and .dat. It links to explain.json and explain.md beside it, and to index.html in both
 * folders. */
enum gradus_status gr_explain_pair_write(const struct gr_explain_pair *pair, const char *directory,
                                         struct gradus_error *error);

#endif
