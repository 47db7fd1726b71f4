/* gnuplot.h: pictures for papers: a script and its data. The script runs unchanged: `gnuplot
 * ladder.gp` makes ladder.svg. SPDX-License-Identifier: MIT */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "report/picture.h"

/* Appends the script NAME.gp, which reads NAME.dat beside it. */
void gr_gnuplot_script(const struct gr_picture *picture, struct gr_str *out);
/* Appends the data file NAME.dat: one block for each series, two empty lines between blocks
 * (gnuplot's `index`), and tabs between columns. */
void gr_gnuplot_data(const struct gr_picture *picture, struct gr_str *out);

#endif
