/* ranks_carrying.h: measures how much the transfer of panels slows down simultaneous products.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_CARRYING_H
#define MEASURE_RANKS_CARRYING_H

#include "dist/dist_transport.h"

/* A local product, an exchange with both neighbours in the ring, and the time of each without the
 * other. The number of exchanges must be the same on all ranks. */
struct gr_ranks_carrying {
    struct gr_dist_comm *comm;
    struct gradus_gemm product;
    double product_s;
    struct gr_dist_message to, from;
    double exchange_s;
    int exchanges;
};

/* Collective. Measures the fraction of the time of exchanges, 0 to 1, during which a simultaneous
 * product makes no progress. The exchanges run in a thread, like the one that transfers panels.
 * Errors: NO_MEMORY, those of the transport. */
enum gradus_status gr_ranks_carried(const struct gr_ranks_carrying *carrying, double *carried,
                                    struct gradus_error *error);

/* The time to start and join a thread that does nothing. */
double gr_ranks_time_carrier(void);

#endif
