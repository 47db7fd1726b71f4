/* source_lines.h: sums a simulated launch by source lines: the memory traffic of each line, and
 * how much of it is wasted. Several accesses may belong to one line, because compilers unroll
 * loops. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SOURCE_LINES_H
#define EXPLAIN_SOURCE_LINES_H

#include "base/str.h"
#include "records/trace.h"

/* The summed accesses of one line to one array, of one kind and width. */
struct gr_source_line {
    /* Gives the line, file, array, access, space and widths; not owned. */
    const struct gr_trace_site *first;
    int64_t requests, lanes;
    int64_t sectors, sectors_ideal;       /* global memory */
    int64_t wavefronts, wavefronts_ideal; /* shared memory */
    /* The clocks for which the requests of this line occupy L1 or the banks of one SM. */
    double clocks;
    double wasted_clocks; /* the clocks beyond those that their bytes need */
    int rank;             /* 1: wastes most; 0: wastes little */
};

/* Returns a malloc'ed array in the order of the source, with other files last. The lines that waste
 * the most clocks, at least a hundredth of all clocks each, have ranks 1 to `ranks`. Null if there
 * are no lines, or if memory runs out. */
struct gr_source_line *gr_source_lines_of(const struct gr_trace *trace, int ranks, int *count);

/* A line of a file's text, counted from 1, without leading blanks; its length is 0 if there is no
 * such line. It is not terminated. */
const char *gr_source_text(const char *source, int line, size_t *length);
/* Appends at most `columns` characters of the text; a tab becomes a blank. */
void gr_source_add(struct gr_str *out, const char *text, size_t length, int columns);

#endif
