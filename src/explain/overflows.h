/* overflows.h: finds 32-bit indices that overflow, at the size being explained or at the
 * smallest size at which they do. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_OVERFLOWS_H
#define EXPLAIN_OVERFLOWS_H

#include "explain/request.h"

/* Compiles the kernel with checked signed arithmetic and, if the operands are so large that an
 * index can overflow, runs the blocks at the corners of the grid. Each overflow is a fault if an
 * access in `traces`, which are of the same launches, goes out of bounds because of it, else a
 * warning. If there is none and ask->reach is set, runs the last block at sizes with operands of
 * more than 2^31 elements, as far as the device's memory allows; each overflow is then a note,
 * with the smallest square size at which it happens. Appends to `findings`. If it cannot be
 * compiled or run nothing is reported, since the trace reports that. Only INTERRUPTED and errors
 * of Gradus itself are returned. */
enum gradus_status gr_overflows_find(const struct gr_explain *ask,
                                     const struct gr_device_values *device_values,
                                     const struct gr_plan *plan, const struct gr_trace *traces,
                                     int trace_count, struct gr_findings *findings,
                                     struct gradus_error *error);

#endif
