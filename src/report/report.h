/* report.h: everything that is shown to people and programs: the rows of a run, and explained
 * kernels. Each format is one file: format_<name>.c defines `const struct gr_format
 * gr_format_<name>`, and the build finds it by its name. SPDX-License-Identifier: MIT */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/str.h"
#include "records/row.h"
#include "report/chapter.h"
#include "report/group.h"

struct gr_style {
    int columns; /* the width of the terminal; 0: no terminal, and no limit */
    bool colour;
};

/* A run that is printed while it is being measured. */
struct gr_sheet {
    const struct gr_run *run;  /* its environment is known, but its rows are not complete */
    const struct gr_run *plan; /* the rows that will follow: records/follow.h */
    struct gr_style style;
    struct gr_str *out; /* the text is appended to it */
    void *own;          /* data of the format; freed with free() */
};

/* The functions of a format that can print rows before the run is complete. Each may be null. */
struct gr_format_parts {
    void (*begin)(struct gr_sheet *sheet);
    /* Prints the head of a group of comparable rows. The group has the first of them, and others
     * that are known already. */
    void (*head)(struct gr_sheet *sheet, const struct gr_group *group);
    void (*row)(struct gr_sheet *sheet, const struct gr_group *group, const struct gr_row *row);
    void (*foot)(struct gr_sheet *sheet);
    void (*end)(struct gr_sheet *sheet);
};

struct gr_explained;
struct gr_explained_head;

struct gr_format {
    const char *name; /* for example "table", "json", "csv" or "md" */
    /* Renders all rows of a run. */
    enum gradus_status (*render)(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error);
    const struct gr_format_parts *parts; /* null: the format can only render complete runs */
    /* Appends the output of `gradus explain` for `count` kernels, all for one problem and
     * device: one, two that are compared or, if `joins`, any number. */
    void (*explain)(const struct gr_explained_head *heads,
                    const struct gr_explained *const *explained, int count,
                    const struct gr_style *style, struct gr_str *out);
    bool joins; /* kernels are joined in one document; otherwise each is shown by itself */
};

const struct gr_format *gr_format_find(const char *name);
int gr_format_count(void);
const struct gr_format *gr_format_at(int i);

/* Writes the files of --report DIR: index.html (self-contained), run.json, run.csv, and a gnuplot
 * script and its data for each picture. Creates the directory; each file appears whole or not at
 * all. `chapters` may be null. */
enum gradus_status gr_report_write(const struct gr_run *run, const struct gr_chapters *chapters,
                                   const char *directory, struct gradus_error *error);

#endif
