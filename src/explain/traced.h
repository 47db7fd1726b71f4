/* traced.h: functions that the analyses of a trace share: the names of facts, and their tables.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_TRACED_H
#define EXPLAIN_TRACED_H

#include "explain/analysis.h"

enum { GR_ACCESS_COUNT = GR_ACCESS_COPY + 1 };

/* "loads", "stores", "atomics", "copies": as in a fact's key. */
const char *gr_traced_key(enum gr_access access);
/* "loads", "stores", "atomics", "asynchronous copies". */
const char *gr_traced_title(enum gr_access access);
/* Adds the fact "global.loads.requests", and for an array "global.loads.requests[A]". */
void gr_traced_fact(const struct gr_analysis_input *input, struct gr_section *section,
                    enum gr_space space, enum gr_access access, int array, const char *what,
                    double value, const char *unit);
/* Is there a request to that memory space? */
bool gr_traced_touches(const struct gr_trace *trace, enum gr_space space);
/* Writes the facts and the table of a memory space: a row for each kind of access and, below it,
 * one for each array. A kind that does not occur has no row, but loads and stores have their
 * facts even then, so that an `expect` line may claim that they are 0. */
typedef void gr_traced_fn(const struct gr_analysis_input *input, struct gr_section *section,
                          enum gr_access access, int array);
void gr_traced_rows(const struct gr_analysis_input *input, struct gr_section *section,
                    enum gr_space space, gr_traced_fn *add_facts, gr_traced_fn *add_row);
/* The count in excess of the smallest that the bytes need; never negative. */
int64_t gr_traced_excess(int64_t count, int64_t ideal);
/* The smallest count. If lanes share an address, `count` may be smaller than what contiguous bytes
 * would need. */
int64_t gr_traced_best(int64_t count, int64_t ideal);
/* count / requests; 0 if there are none. */
double gr_traced_each(int64_t count, int64_t requests);
/* Is there a trace? For `applies` of analyses. */
bool gr_traced_applies(const struct gr_analysis_input *input);

#endif
