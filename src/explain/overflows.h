/* overflows.h: indices of 32 bits that overflow, at the size that a kernel is explained at, and at
 * the smallest size at which they do. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_OVERFLOWS_H
#define EXPLAIN_OVERFLOWS_H

#include "explain/explain.h"

/* Builds the kernel with its signed integers checked and runs the blocks at the corners of the
 * grid, where the operands are so large that an index can overflow: each place is a fault where an
 * access of `traces`, those of the same launches, goes astray, and else a warning. Where none is,
 * and ask->reach, the last block at sizes at which the operands have more than 2^31 elements, if
 * the device has memory for them: each place is a note, with the least square size at which it
 * overflows. Appends to `findings`. What keeps it from being built or run is told of nowhere: the
 * trace tells it. An error is INTERRUPTED or Gradus's own. */
enum gradus_status gr_overflows_look(const struct gr_explain *ask, const struct gr_givens *givens,
                                     const struct gr_plan *plan, const struct gr_trace *traces,
                                     int trace_count, struct gr_findings *findings,
                                     struct gradus_error *error);

#endif
