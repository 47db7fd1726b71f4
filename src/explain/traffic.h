/* traffic.h: the bytes that a simulated launch moves at each level of memory.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_TRAFFIC_H
#define EXPLAIN_TRAFFIC_H

#include "records/trace.h"

/* Bytes of the whole launch. */
struct gr_traffic {
    double requested; /* bytes that lanes request from global memory */
    double l1;        /* bytes of the sectors that L1 moves */
    double block;     /* distinct bytes of each block, summed over the blocks */
    double grid;      /* distinct bytes of the grid */
    double shared;    /* bytes that lanes request from shared memory */
    double passes;    /* the fewest passes over the banks; not in bytes */
};

struct gr_traffic gr_traffic_of(const struct gr_trace *trace);

#endif
