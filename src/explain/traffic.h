/* traffic.h: the bytes that a simulated launch moves at each level of memory.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_TRAFFIC_H
#define EXPLAIN_TRAFFIC_H

#include "records/trace.h"

/* Bytes of the whole launch. */
struct gr_traffic {
    double requested; /* requested by lanes, of global memory */
    double l1;        /* in the sectors of L1 */
    double block;     /* the distinct ones of each block, summed over the blocks */
    double grid;      /* the distinct ones of the grid */
    double shared;    /* requested by lanes, of shared memory */
    double passes;    /* the fewest passes over the banks; not in bytes */
};

struct gr_traffic gr_traffic_of(const struct gr_trace *trace);

#endif
