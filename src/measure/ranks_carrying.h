/* ranks_carrying.h: what panels that travel take from the products beside them.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_CARRYING_H
#define MEASURE_RANKS_CARRYING_H

#include "dist/dist_transport.h"

/* A local product and an exchange with both neighbours in the ring, and how long each takes where
 * the other is not. The number of exchanges is the same on all ranks. */
struct gr_ranks_carrying {
    struct gr_dist_comm *comm;
    struct gradus_gemm product;
    double product_s;
    struct gr_dist_message to, from;
    double exchange_s;
    int exchanges;
};

/* Collective: the part of the time of exchanges in which a product beside them stands still, 0 to
 * 1. A thread exchanges as one that carries panels does. Errors: NO_MEMORY, of the transport. */
enum gradus_status gr_ranks_carried(const struct gr_ranks_carrying *carrying, double *carried,
                                    struct gradus_error *error);

/* The time in which a thread that does nothing starts and ends. */
double gr_ranks_time_carrier(void);

#endif
