/* join_traces.h: one trace of two, of the machine code and of the source of the same launch.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_JOIN_TRACES_H
#define EXPLAIN_JOIN_TRACES_H

#include "records/trace.h"

/* The counts of `code` stay; its sites get the columns of the source, and its faults are those of
 * `source`, which sees what the machine code does not show (docs/simulator.md). `source` is freed.
 */
void gr_traces_join(struct gr_trace *code, struct gr_trace *source);

#endif
