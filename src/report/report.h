/* report.h: what is shown to people and programs: the rows of a run, and explained kernels. One
 * file a format: format_<name>.c defines `const struct gr_format gr_format_<name>` and the build
 * finds it by name. SPDX-License-Identifier: MIT */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/str.h"
#include "records/row.h"
#include "report/chapter.h"
#include "report/group.h"

struct gr_style {
    int columns; /* width of the terminal; 0: not a terminal, no limit */
    bool colour;
};

/* A run that is printed while it goes on. */
struct gr_sheet {
    const struct gr_run *run;  /* its environment is known, its rows are not all there */
    const struct gr_run *plan; /* the rows that there will be: records/follow.h */
    struct gr_style style;
    struct gr_str *out; /* appended to */
    void *own;          /* of the format; freed with free() */
};

/* What a format whose rows stand before the run is whole is made of. Each function may be null. */
struct gr_format_parts {
    void (*begin)(struct gr_sheet *sheet);
    /* Rows that may be compared follow. The group has the first of them, and those that are known
     * already. */
    void (*head)(struct gr_sheet *sheet, const struct gr_group *group);
    void (*row)(struct gr_sheet *sheet, const struct gr_group *group, const struct gr_row *row);
    void (*foot)(struct gr_sheet *sheet);
    void (*end)(struct gr_sheet *sheet);
};

struct gr_explained;
struct gr_explained_head;

struct gr_format {
    const char *name; /* "table", "json", "csv", "md" */
    /* The rows of a run. */
    enum gradus_status (*render)(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error);
    const struct gr_format_parts *parts; /* null: the whole only */
    /* Appends what `gradus explain` says of a kernel, or of `count` kernels for one problem and
     * device. */
    void (*explain)(const struct gr_explained_head *heads,
                    const struct gr_explained *const *explained, int count,
                    const struct gr_style *style, struct gr_str *out);
};

const struct gr_format *gr_format_find(const char *name);
int gr_format_count(void);
const struct gr_format *gr_format_at(int i);

/* --report DIR: index.html (self-contained), run.json, run.csv, and gnuplot script and data for
 * each picture. The directory is made; files appear whole or not at all. `chapters` may be null. */
enum gradus_status gr_report_write(const struct gr_run *run, const struct gr_chapters *chapters,
                                   const char *directory, struct gradus_error *error);

#endif
