/* traffic.h: how many bytes a simulated launch moves at each level. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_TRAFFIC_H
#define EXPLAIN_TRAFFIC_H

#include "records/trace.h"

/* Bytes of the whole launch. */
struct gr_traffic {
    double asked;  /* by lanes, of global memory */
    double l1;     /* in sectors, at L1 */
    double block;  /* distinct, of each block, added up */
    double grid;   /* distinct */
    double shared; /* asked by lanes, of shared memory */
    double passes; /* over the banks, at least; not bytes */
};

struct gr_traffic gr_traffic_of(const struct gr_trace *trace);

#endif
