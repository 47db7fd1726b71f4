/* dist_courier.h: a thread that carries panels while another one multiplies.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COURIER_H
#define DIST_DIST_COURIER_H

#include "dist/dist_panels.h"

#include <pthread.h>

/* The panels that are carried during one step; begun in this order, and ended in it. */
struct gr_dist_batch {
    struct gr_dist_flight flights[3];
    int count;
    double seconds; /* from the first's beginning to the last's end */
    enum gradus_status status;
    struct gradus_error error;
};

/* Begins all flights. After a failure, here and below, the other ranks have been told by
 * comm->abort, and none of the flights is under way any more. */
void gr_dist_batch_begin(struct gr_dist_batch *batch);
/* Ends all flights, unless beginning them failed. */
void gr_dist_batch_end(struct gr_dist_batch *batch);

struct gr_dist_courier {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gr_dist_batch *batch; /* being carried; null: none */
    bool started, leaving;
    atomic_bool multiplying;  /* the thread that sends and waits is doing so */
    struct gr_dist_comm comm; /* the same end, for waiting beside a product */
};

/* Starts the thread, if comm->threaded. Where there can be none, gr_dist_courier_send begins the
 * batch, and gr_dist_courier_wait ends it, in the caller's. Between the two, the caller multiplies.
 */
void gr_dist_courier_start(struct gr_dist_courier *courier, const struct gr_dist_comm *comm);
void gr_dist_courier_send(struct gr_dist_courier *courier, struct gr_dist_batch *batch);
/* Returns when the batch that was sent last has ended. */
void gr_dist_courier_wait(struct gr_dist_courier *courier, struct gr_dist_batch *batch);
/* Ends the thread, which carries nothing. */
void gr_dist_courier_stop(struct gr_dist_courier *courier);

#endif
