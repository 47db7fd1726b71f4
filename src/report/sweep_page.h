/* sweep_page.h: a sweep against many libraries: a line for each GEMM, and a summary.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_SWEEP_PAGE_H
#define REPORT_SWEEP_PAGE_H

#include "records/sums.h"
#include "report/report.h"

/* Appends the tables, one for each type and number of threads, and the sums, in Markdown or for a
 * terminal of style->columns columns, on which what says least is left out. */
void gr_sweep_page(const struct gr_run *run, const struct gr_style *style, bool markdown,
                   struct gr_str *out);

/* Appends, where a run is of a few problems each on several numbers of threads, the rates of the
 * library and of the others on each, compared with those on the first. Nothing for other runs. */
void gr_sweep_scaling(const struct gr_run *run, bool markdown, struct gr_str *out);

#endif
