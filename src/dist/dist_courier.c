/* dist_courier.c: a thread that communicates panels while another thread multiplies.
 * SPDX-License-Identifier: MIT
 *
 * All transports here make progress with most messages only during a call of one of their
 * functions. Without a thread that calls them, nothing would be sent during a product. All ranks
 * begin and end the panels' communication in the same order, so that no rank waits for a round that
 * its peer does not begin. */
#include "dist/dist_courier.h"

#include "core/clock.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <string.h>

/* Handles the first failure of a batch. */
static void give_up(struct gr_dist_batch *batch)
{
    struct gr_dist_comm *const comm = batch->flights[0].comm;
    comm->abort(comm, batch->error.text[0] ? batch->error.text : "dist: a transfer failed");
    for (int i = 0; i < batch->count; i++)
        gr_dist_flight_drop(&batch->flights[i]);
}

static void each(struct gr_dist_batch *batch,
                 enum gradus_status (*what)(struct gr_dist_flight *, struct gradus_error *))
{
    const int64_t begin = gr_now_ns();
    if (batch->status != GRADUS_OK || batch->count == 0)
        return;
    for (int i = 0; i < batch->count && batch->status == GRADUS_OK; i++)
        batch->status = what(&batch->flights[i], &batch->error);
    if (batch->status != GRADUS_OK)
        give_up(batch);
    batch->seconds += (double)(gr_now_ns() - begin) * 1e-9;
}

void gr_dist_batch_begin(struct gr_dist_batch *batch)
{
    each(batch, gr_dist_flight_begin);
}

void gr_dist_batch_end(struct gr_dist_batch *batch)
{
    each(batch, gr_dist_flight_end);
}

/* Makes short pauses of this thread exact: with the default timer slack, Linux lengthens each by 50
 * us. */
static void make_pauses_exact(void)
{
#ifdef PR_SET_TIMERSLACK
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
#endif
}

static void *carry(void *argument)
{
    struct gr_dist_courier *const courier = argument;
    make_pauses_exact();
    pthread_mutex_lock(&courier->lock);
    for (;;) {
        while (!courier->batch && !courier->leaving)
            pthread_cond_wait(&courier->changed, &courier->lock);
        if (!courier->batch)
            break;
        pthread_mutex_unlock(&courier->lock);
        gr_dist_batch_begin(courier->batch);
        gr_dist_batch_end(courier->batch);
        pthread_mutex_lock(&courier->lock);
        courier->batch = NULL;
        pthread_cond_broadcast(&courier->changed);
    }
    pthread_mutex_unlock(&courier->lock);
    return NULL;
}

void gr_dist_courier_start(struct gr_dist_courier *courier, const struct gr_dist_comm *comm)
{
    *courier = (struct gr_dist_courier){
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .comm = *comm};
    courier->comm.multiplying = &courier->multiplying;
    courier->started =
        comm->threaded && pthread_create(&courier->thread, NULL, carry, courier) == 0;
}

static void hand_over(struct gr_dist_courier *courier, struct gr_dist_batch *batch, bool leaving)
{
    pthread_mutex_lock(&courier->lock);
    courier->batch = batch;
    courier->leaving = leaving;
    pthread_cond_broadcast(&courier->changed);
    pthread_mutex_unlock(&courier->lock);
}

void gr_dist_courier_send(struct gr_dist_courier *courier, struct gr_dist_batch *batch)
{
    if (!courier->started) {
        gr_dist_batch_begin(batch);
        return;
    }
    for (int i = 0; i < batch->count; i++)
        batch->flights[i].comm = &courier->comm;
    atomic_store(&courier->multiplying, true);
    if (batch->count > 0)
        hand_over(courier, batch, false);
}

void gr_dist_courier_wait(struct gr_dist_courier *courier, struct gr_dist_batch *batch)
{
    if (!courier->started) {
        gr_dist_batch_end(batch);
        return;
    }
    atomic_store(&courier->multiplying, false);
    pthread_mutex_lock(&courier->lock);
    while (courier->batch)
        pthread_cond_wait(&courier->changed, &courier->lock);
    pthread_mutex_unlock(&courier->lock);
}

void gr_dist_courier_stop(struct gr_dist_courier *courier)
{
    if (!courier->started)
        return;
    hand_over(courier, NULL, true);
    pthread_join(courier->thread, NULL);
    courier->started = false;
}
