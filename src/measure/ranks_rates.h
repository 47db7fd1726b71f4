/* ranks_rates.h: measures the rates that the plan of a product over many ranks requires.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_RATES_H
#define MEASURE_RANKS_RATES_H

#include "dist/dist_plan.h"
#include "dist/dist_transport.h"

struct gr_ranks_rates {
    struct gr_dist_machine machine; /* the rates of the slowest rank while all ranks are busy */
    double alone_flop_per_s;        /* the rate of rank 0's local product while the others wait */
};

struct gr_ranks_probe {
    enum gradus_type type;
    int threads;
    int64_t size[3];       /* m, n, k of the local product */
    bool by_cols[3];       /* the storage order of A, B and C */
    int64_t message_bytes; /* of the test of the links */
};

/* Collective; the result is the same on all ranks. Measures a local product, on rank 0 alone and on
 * all ranks at once; copies in memory; and a ring in which each rank sends to the next one and
 * receives from the previous one, with messages of 8 bytes (for the latency) and of message_bytes.
 * If panels may be sent during products, also measures how much this slows them down
 * (ranks_carrying.h). A single rank has no links, so these are assumed. Errors: NO_MEMORY, those of
 * the transport. */
enum gradus_status gr_ranks_rates_measure(struct gr_dist_comm *comm,
                                          const struct gr_ranks_probe *probe,
                                          struct gr_ranks_rates *rates, struct gradus_error *error);

/* Collective. Replaces each number by the maximum over all ranks. */
enum gradus_status gr_ranks_largest(struct gr_dist_comm *comm, double *values, int count,
                                    struct gradus_error *error);

#endif
