/* host_threads.c: host threads that each run blocks as one SM would, taken from a common queue.
 * SPDX-License-Identifier: MIT */
#include "simrt/host_threads.h"

#include "simrt/progress.h"
#include "simrt/sim_clock.h"

#include <stdatomic.h>
#include <stdlib.h>

struct queue {
    struct gr_run *run;
    const struct gr_sim_launch *launch;
    const int64_t *list;    /* null: the first `count` */
    int64_t count, stop_ns; /* stop_ns 0: none */
    atomic_llong next;
    atomic_int failed;
    struct gr_sim_outcome *outcome;
};

static void run_blocks(struct queue *queue, struct gr_sm *sm)
{
    while (!atomic_load(&queue->failed)) {
        int64_t i = atomic_fetch_add(&queue->next, 1);
        if (i >= queue->count || (queue->stop_ns && gr_sim_worked_ns() > queue->stop_ns))
            return;
        gr_sm_run_block(sm, queue->list ? queue->list[i] : i);
        gr_watch_block_ended();
        pthread_mutex_lock(&queue->run->lock);
        if (sm->outcome.status != GR_SIM_DONE && queue->outcome->status == GR_SIM_DONE)
            *queue->outcome = sm->outcome;
        pthread_mutex_unlock(&queue->run->lock);
        if (sm->outcome.status != GR_SIM_DONE)
            atomic_store(&queue->failed, 1);
    }
}

static void *work(void *argument)
{
    struct queue *queue = argument;
    struct gr_sm *sm = aligned_alloc(_Alignof(struct gr_sm), sizeof *sm);
    struct gr_tracer tracer = {0};
    gr_kernel_signals_catch();
    bool opened = sm && gr_sm_open(sm, queue->launch, &tracer);
    if (opened && gr_tracer_open(&tracer, sm, queue->run)) {
        gr_watch_enter();
        run_blocks(queue, sm);
        gr_watch_leave();
    } else {
        atomic_store(&queue->failed, 1);
        queue->outcome->status = GR_SIM_NO_MEMORY;
    }
    gr_tracer_close(&tracer);
    if (opened)
        gr_sm_close(sm);
    free(sm);
    return NULL;
}

void gr_host_threads_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                         const int64_t *list, int64_t count, int64_t stop_ns,
                         struct gr_sim_outcome *outcome)
{
    enum { MOST = 64 };
    pthread_t others[MOST];
    struct queue queue = {.run = run,
                          .launch = launch,
                          .list = list,
                          .count = count,
                          .stop_ns = stop_ns,
                          .outcome = outcome};
    int started = 0;
    int wanted = count < threads ? (int)count : threads;
    while (started < wanted - 1 && started < MOST &&
           pthread_create(&others[started], NULL, work, &queue) == 0)
        started++;
    work(&queue);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
