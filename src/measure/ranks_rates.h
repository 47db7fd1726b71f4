/* ranks_rates.h: measures what a plan of a product over many ranks assumes of them.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_RATES_H
#define MEASURE_RANKS_RATES_H

#include "dist/dist_plan.h"
#include "dist/dist_transport.h"

struct gr_ranks_rates {
    struct gr_dist_machine machine; /* the slowest rank's figures while all are busy */
    double alone_flop_per_s;        /* rank 0's local product while the others wait */
};

struct gr_ranks_probe {
    enum gradus_type type;
    int threads;
    int64_t size[3];       /* m, n, k of the local product */
    bool by_cols[3];       /* the order of A, B and C */
    int64_t message_bytes; /* of the test of the links */
};

/* Collective, the same on all ranks: a local product on rank 0 and then on all at once, copies in
 * memory, and a ring in which each rank sends to the next and receives from the one before, with
 * messages of 8 bytes (latency) and of message_bytes; where panels may travel during products, also
 * what these take from them (ranks_carrying.h). One rank has no links: they are assumed.
 * Errors: NO_MEMORY, those of the transport. */
enum gradus_status gr_ranks_rates_measure(struct gr_dist_comm *comm,
                                          const struct gr_ranks_probe *probe,
                                          struct gr_ranks_rates *rates, struct gradus_error *error);

/* Collective: the largest of all ranks' numbers, in each place. */
enum gradus_status gr_ranks_largest(struct gr_dist_comm *comm, double *values, int count,
                                    struct gradus_error *error);

#endif
