/* sweep_page.h: a sweep beside many libraries: a line a product, and what it comes to.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_SWEEP_PAGE_H
#define REPORT_SWEEP_PAGE_H

#include "core/sums.h"
#include "report/report.h"

/* Appends the tables, one for each type and number of threads, and the sums, in Markdown or for a
 * terminal of style->columns columns, on which what says least is left out. */
void gr_sweep_page(const struct gr_run *run, const struct gr_style *style, bool markdown,
                   struct gr_str *out);

#endif
