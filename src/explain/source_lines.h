/* source_lines.h: a simulated launch by lines of the source: what each line asks of memory, and
 * what of it is wasted. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SOURCE_LINES_H
#define EXPLAIN_SOURCE_LINES_H

#include "records/trace.h"

/* The accesses of one line to one array, of one kind and width, summed. */
struct gr_source_line {
    const struct gr_trace_site *first; /* for line, file, array, access, space, widths; not owned */
    int64_t requests, lanes;
    int64_t sectors, sectors_ideal;       /* global */
    int64_t wavefronts, wavefronts_ideal; /* shared */
    double
        clocks; /* that the launch's requests of this line keep L1 or the banks busy, of one SM */
    double wasted_clocks; /* of them, beyond what their bytes need */
    int rank;             /* 1: wastes the most; 0: wastes little */
};

/* Malloc'ed, in the order of the source, those of other files last; ranks 1 to `ranks` are given to
 * the lines that waste the most, if at least a hundredth of all clocks. Null where there are none,
 * or memory is out. */
struct gr_source_line *gr_source_lines_of(const struct gr_trace *trace, int ranks, int *count);

#endif
