/* dist_courier.h: a thread that communicates panels while another thread multiplies.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COURIER_H
#define DIST_DIST_COURIER_H

#include "dist/dist_panels.h"

#include <pthread.h>

/* The panels that are communicated during one step. They are begun and ended in this order. */
struct gr_dist_batch {
    struct gr_dist_flight flights[3];
    int count;
    double seconds; /* from the beginning of the first to the end of the last */
    enum gradus_status status;
    struct gradus_error error;
};

/* Begins the communication of all panels. After a failure, here and below, comm->abort has notified
 * the other ranks, and no communication of the batch is in progress. */
void gr_dist_batch_begin(struct gr_dist_batch *batch);
/* Waits until all have ended, unless beginning them failed. */
void gr_dist_batch_end(struct gr_dist_batch *batch);

struct gr_dist_courier {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gr_dist_batch *batch; /* the batch in progress; null: none */
    bool started, leaving;
    atomic_bool multiplying;  /* the thread that calls send and wait is multiplying */
    struct gr_dist_comm comm; /* the same end, for waiting during a product */
};

/* Starts the thread, if comm->threaded. If there can be no thread, gr_dist_courier_send begins the
 * batch and gr_dist_courier_wait ends it, on the caller's thread. The caller multiplies between the
 * two calls. */
void gr_dist_courier_start(struct gr_dist_courier *courier, const struct gr_dist_comm *comm);
void gr_dist_courier_send(struct gr_dist_courier *courier, struct gr_dist_batch *batch);
/* Waits until the batch that was sent last has ended. */
void gr_dist_courier_wait(struct gr_dist_courier *courier, struct gr_dist_batch *batch);
/* Ends the thread. No batch may be in progress. */
void gr_dist_courier_stop(struct gr_dist_courier *courier);

#endif
