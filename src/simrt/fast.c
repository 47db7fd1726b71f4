/* fast.c: the fast mode, which computes results and traces nothing. Host threads take blocks from a
 * common queue. SPDX-License-Identifier: MIT */
#include "simrt/sm.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The blocks of a launch that are still to run. */
struct queue {
    const struct gr_sim_launch *launch;
    atomic_llong next;
    atomic_int failed;
    struct gr_sim_outcome *outcome; /* of the first that failed */
};

static void *work(void *argument)
{
    struct queue *queue = argument;
    const struct gr_sim_launch *l = queue->launch;
    int64_t blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    struct gr_sm *sm = aligned_alloc(_Alignof(struct gr_sm), sizeof *sm);
    struct gr_sim_outcome outcome = {.status = GR_SIM_NO_MEMORY};
    if (sm && gr_sm_open(sm, l, NULL)) {
        outcome.status = GR_SIM_DONE;
        while (outcome.status == GR_SIM_DONE && !atomic_load(&queue->failed)) {
            int64_t block = atomic_fetch_add(&queue->next, 1);
            if (block >= blocks)
                break;
            gr_sm_run_block(sm, block);
            outcome = sm->outcome;
        }
        gr_sm_close(sm);
    }
    if (outcome.status != GR_SIM_DONE && atomic_exchange(&queue->failed, 1) == 0)
        *queue->outcome = outcome;
    free(sm);
    return NULL;
}

/* The worker's signal handler needs a stack of its own, since a thread may have overflowed its
 * stack. The first thread already has one. */
static void *work_apart(void *queue)
{
    enum { ROOM = 64 * 1024 };
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t stack = {.ss_sp = malloc(ROOM), .ss_size = ROOM};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
    work(queue);
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
    return NULL;
}

__attribute__((visibility("default"))) void gr_sim_run(const struct gr_sim_launch *launch,
                                                       struct gr_sim_outcome *outcome);
void gr_sim_run(const struct gr_sim_launch *launch, struct gr_sim_outcome *outcome)
{
    enum { MOST = 256 };
    struct queue queue = {.launch = launch, .outcome = outcome};
    int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int threads = launch->threads < MOST ? launch->threads : MOST;
    if (threads > blocks)
        threads = (int)blocks;
    *outcome = (struct gr_sim_outcome){0};
    pthread_t others[MOST];
    int started = 0;
    while (started < threads - 1 && pthread_create(&others[started], NULL, work_apart, &queue) == 0)
        started++;
    work(&queue);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
