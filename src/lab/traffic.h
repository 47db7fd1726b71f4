/* traffic.h: how many bytes a simulated launch moves at each level. SPDX-License-Identifier: MIT */
#ifndef LAB_TRAFFIC_H
#define LAB_TRAFFIC_H

#include "core/trace.h"

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
