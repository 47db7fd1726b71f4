/* gnuplot.h: pictures for papers: a script that runs as it is (`gnuplot ladder.gp` makes
 * ladder.svg) and its data. SPDX-License-Identifier: MIT */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "report/picture.h"

/* Appends the script NAME.gp, which reads NAME.dat beside it. */
void gr_gnuplot_script(const struct gr_picture *picture, struct gr_str *out);
/* Appends NAME.dat: one block a series, two empty lines between blocks (gnuplot's `index`), tabs
 * between columns. */
void gr_gnuplot_data(const struct gr_picture *picture, struct gr_str *out);

#endif
