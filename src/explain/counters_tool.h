/* counters_tool.h: the interface of a profiler: the counters that are requested from it, how it is
 * run, and how its table is read. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_TOOL_H
#define EXPLAIN_COUNTERS_TOOL_H

#include "base/str.h"

#include <gradus/gradus.h>

#include <stdbool.h>

enum { GR_COUNTERS_WORDS = 96, GR_COUNTERS_FIELDS = 64 };

struct gr_counters_metric {
    const char *name;  /* the profiler's name */
    const char *key;   /* the key of the fact */
    const char *label; /* shown to the user */
    /* The computed facts for the same quantity, "a+b*c"; "" if there are none. */
    const char *ours;
    double ours_scale; /* factor from our unit to the profiler's */
    const char *unit;
    const char *arches; /* the prefixes of the architectures that have it; null: all have it */
    int pass; /* counters of one pass are requested together; 0: it is a column of the table */
};

/* A launch, identified as profilers do. */
struct gr_counters_launch {
    const char *kernel;
    unsigned grid[3], block[3];
};

struct gr_counters_tool {
    const char *name;
    const struct gr_counters_metric *metrics;
    int metric_count;
    const char *unfilled; /* a sentence that is printed if the grid does not fill the device */
    const char *legend;   /* the meaning of the labels */
    const char *listing;  /* the command that lists the available counters; null: there is none */
    /* The same as gr_counters_run; *command and the tool's own words are at most
     * GR_COUNTERS_WORDS. */
    enum gradus_status (*run)(const char *arch, const char *const *command,
                              const char *const *kernels, struct gr_str *csv,
                              struct gradus_error *error);
    /* The value of a metric for the last launch like `launch`; false if there is none. */
    bool (*value)(const char *csv, const struct gr_counters_launch *launch,
                  const struct gr_counters_metric *metric, double *value);
    /* A sentence about the reliability of the values; null: there is nothing to say. */
    const char *(*doubt)(const char *csv);
};

extern const struct gr_counters_tool gr_counters_ncu, gr_counters_rocprof;

/* The profiler of the architecture's vendor. */
const struct gr_counters_tool *gr_counters_tool_of(const char *arch);
bool gr_counters_metric_is_of(const struct gr_counters_metric *metric, const char *arch);

/* Returns the program on PATH or, if there is none, the match of the patterns (null-terminated)
 * that is last in alphabetical order, which is the newest version; malloc'ed, or null. */
char *gr_counters_find(const char *program, const char *const *patterns);

/* Runs `words` followed by `command` for at most ten minutes, and appends both outputs. */
enum gradus_status gr_counters_start(const char *const *words, int count,
                                     const char *const *command, struct gr_str *output,
                                     int *exit_code, struct gradus_error *error);

/* Splits a line of a CSV file into its fields, quoted or not, in place. */
int gr_counters_split(char *line, char *fields[GR_COUNTERS_FIELDS]);
/* The index of the field of that name; -1: there is none. */
int gr_counters_column(char *const *fields, int count, const char *name);
/* "1,024.5" */
bool gr_counters_number(const char *text, double *value);

#endif
