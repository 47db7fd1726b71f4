/* sweep_page.h: a sweep with many libraries: a line for each GEMM, and a summary.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_SWEEP_PAGE_H
#define REPORT_SWEEP_PAGE_H

#include "records/sums.h"
#include "report/report.h"

/* Appends a table for each type and number of threads, and the summary, in Markdown or for a
 * terminal of style->columns columns, where the least important columns are left out. */
void gr_sweep_page(const struct gr_run *run, const struct gr_style *style, bool markdown,
                   struct gr_str *out);

/* If a run has only few problems, each on several numbers of threads, appends the rates of the
 * library and of the others for each number, relative to the first. Appends nothing for other
 * runs. */
void gr_sweep_scaling(const struct gr_run *run, bool markdown, struct gr_str *out);

#endif
