/* join_traces.h: joins two traces of the same launch, that of the machine code and that of the
 * source. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_JOIN_TRACES_H
#define EXPLAIN_JOIN_TRACES_H

#include "records/trace.h"

/* The counts of `code` are kept. Its sites receive the columns of the source, and its faults are
 * replaced by those of `source`, which contains what the machine code does not show
 * (docs/simulator.md), except for faults of asynchronous copies. `source` is freed. */
void gr_traces_join(struct gr_trace *code, struct gr_trace *source);

#endif
