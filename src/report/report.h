/* report.h: a run, rendered. One file a format: format_<name>.c defines `const struct gr_format
 * gr_format_<name>` and the build finds it by name. SPDX-License-Identifier: MIT */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/str.h"
#include "core/row.h"

struct gr_style {
    int columns; /* width of the terminal; 0: not a terminal, no limit */
    bool colour;
};

struct gr_format {
    const char *name; /* "table", "json", "csv", "md" */
    enum gradus_status (*render)(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error);
};

const struct gr_format *gr_format_find(const char *name);
int gr_format_count(void);
const struct gr_format *gr_format_at(int i);

/* --report DIR: index.html (self-contained), run.json, run.csv, and gnuplot script and data for
 * each picture. The directory is made; files appear whole or not at all. */
enum gradus_status gr_report_write(const struct gr_run *run, const char *directory,
                                   struct gradus_error *error);

#endif
