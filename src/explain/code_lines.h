/* code_lines.h: groups the instructions of an executed kernel by the source lines from which the
 * compiler generated them. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_CODE_LINES_H
#define EXPLAIN_CODE_LINES_H

#include "records/trace.h"

/* A line of the source that has instructions. */
struct gr_code_line {
    const struct gr_trace_instruction *first; /* gives the line and the file; not owned */
    int instructions, never; /* those of the kernel; and those that no warp executed */
    int64_t executed;        /* executions by warps, of all its instructions */
};

struct gr_code_lines {
    /* Sorted by line: first the kernel's own file, then other files, and last the instructions
     * without a line. */
    struct gr_code_line *items;
    int count;
    int *of;          /* for each instruction of the trace, its line in `items` */
    int64_t executed; /* by all instructions */
    int64_t most_executed, most_of_line; /* by one instruction; by the instructions of one line */
};

/* Returns false if memory runs out. The caller frees `lines` in any case. */
bool gr_code_lines_make(const struct gr_trace *trace, struct gr_code_lines *lines);
void gr_code_lines_free(struct gr_code_lines *lines);

/* The fraction of all executions that `executed` executions are, 0 to 1. */
double gr_code_share(const struct gr_code_lines *lines, int64_t executed);

/* The requests of an instruction to global, shared and local memory, and their sectors. */
int64_t gr_code_requests(const struct gr_trace_instruction *at);
int64_t gr_code_sectors(const struct gr_trace_instruction *at);

#endif
