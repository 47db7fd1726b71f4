/* ranks_carrying.c: measures how much the transfer of panels slows down simultaneous products.
 * SPDX-License-Identifier: MIT */
#include "measure/ranks_carrying.h"

#include "core/clock.h"
#include "core/error.h"
#include "measure/stats.h"

#include <pthread.h>

/* The thread that exchanges messages. */
struct carrier {
    const struct gr_ranks_carrying *carrying;
    struct gr_dist_comm comm;
    atomic_bool multiplying, ended;
    enum gradus_status status;
    struct gradus_error error;
};

static void *exchange_all(void *argument)
{
    struct carrier *const x = argument;
    const struct gr_ranks_carrying *const c = x->carrying;
    for (int i = 0; i < c->exchanges && x->status == GRADUS_OK; i++)
        x->status = x->comm.exchange(&x->comm, &c->to, 1, &c->from, 1, &x->error);
    atomic_store(&x->ended, true);
    return NULL;
}

/* Runs products until the exchanges, which began at `begin`, have ended. *took is the time that
 * they took, and *alone the time that they would have taken without exchanges. */
static enum gradus_status multiply(struct carrier *x, int64_t begin, double *alone, double *took,
                                   struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    int count = 0;
    for (; status == GRADUS_OK && !atomic_load(&x->ended); count++)
        status = gradus_gemm_run(&x->carrying->product, error);
    *took = (double)(gr_now_ns() - begin) * 1e-9;
    *alone = (double)count * x->carrying->product_s;
    atomic_store(&x->multiplying, false);
    return status;
}

enum gradus_status gr_ranks_carried(const struct gr_ranks_carrying *carrying, double *carried,
                                    struct gradus_error *error)
{
    struct carrier x = {.carrying = carrying, .comm = *carrying->comm, .multiplying = true};
    double alone = 0, took = 0;
    pthread_t thread;
    x.comm.multiplying = &x.multiplying;
    const int64_t begin = gr_now_ns();
    const bool started = pthread_create(&thread, NULL, exchange_all, &x) == 0;
    enum gradus_status status =
        started ? GRADUS_OK : gr_fail(error, GRADUS_NO_MEMORY, "dist: no thread for messages");
    if (!started) /* the neighbours wait for this rank's messages */
        exchange_all(&x);
    if (started) {
        status = multiply(&x, begin, &alone, &took, error);
        pthread_join(thread, NULL);
    }
    if (status == GRADUS_OK && x.status != GRADUS_OK)
        status = gr_fail(error, x.status, "%s", x.error.text);
    gradus_error_clear(&x.error);
    const double part = (took - alone) / ((double)carrying->exchanges * carrying->exchange_s);
    *carried = part > 0 ? part < 1 ? part : 1 : 0;
    return status;
}

static void *nothing(void *argument)
{
    return argument;
}

double gr_ranks_time_carrier(void)
{
    enum { TIMES = 25 };
    double samples[TIMES];
    int count = 0;
    for (int i = 0; i < TIMES; i++) {
        pthread_t thread;
        const int64_t begin = gr_now_ns();
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            break;
        pthread_join(thread, NULL);
        samples[count++] = (double)(gr_now_ns() - begin) * 1e-9;
    }
    return count > 0 ? gr_stat_of(samples, count).median : 0;
}
