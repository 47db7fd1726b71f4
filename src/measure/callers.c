/* callers.c: threads that make calls at the same time. SPDX-License-Identifier: MIT */
#include "measure/callers.h"

#include "core/clock.h"
#include "core/error.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct caller {
    struct gr_callers *callers;
    pthread_t thread;
    int index, calls;
    int64_t end_ns;
    char apart[64]; /* keeps the next caller's members in another cache line, because another core
                       writes them */
};

struct gr_callers {
    int count;
    struct caller *caller;
    pthread_mutex_t lock; /* for the members up to `ending` */
    pthread_cond_t begun, finished;
    int64_t run; /* the number of runs that have begun */
    int working; /* callers of this run that have not finished, except the first */
    bool ending;
    const struct gr_callers_work *work;
    int most;
    atomic_int ready;  /* callers that wait for the start */
    atomic_bool start; /* all are ready, and start_ns is known */
    int64_t start_ns;
    atomic_bool end; /* a caller has made all of its calls */
};

/* Spins, so that all callers run when the last one is ready; it lets others run if there are more
 * callers than cores. */
static void wait_for_start(struct gr_callers *c)
{
    enum { SPINS = 256 };
    if (atomic_fetch_add(&c->ready, 1) + 1 == c->count) {
        c->start_ns = gr_now_ns();
        atomic_store(&c->start, true);
    }
    for (int i = 0; !atomic_load(&c->start); i++)
        if (i % SPINS == SPINS - 1)
            sched_yield();
}

static void make_calls(struct caller *caller)
{
    struct gr_callers *c = caller->callers;
    const struct gr_callers_work *work = c->work;
    if (work->prepare)
        work->prepare(work->context, caller->index);
    wait_for_start(c);
    int calls = 0;
    do
        work->call(work->context, caller->index, calls++);
    while (calls < c->most && !atomic_load_explicit(&c->end, memory_order_relaxed));
    caller->end_ns = gr_now_ns();
    caller->calls = calls;
    atomic_store(&c->end, true);
}

/* Returns false if the callers are closed. */
static bool wait_for_run(struct gr_callers *c, int64_t last)
{
    pthread_mutex_lock(&c->lock);
    while (c->run == last && !c->ending)
        pthread_cond_wait(&c->begun, &c->lock);
    const bool runs = !c->ending;
    pthread_mutex_unlock(&c->lock);
    return runs;
}

static void *serve(void *argument)
{
    struct caller *caller = argument;
    struct gr_callers *c = caller->callers;
    for (int64_t run = 0; wait_for_run(c, run); run++) {
        make_calls(caller);
        pthread_mutex_lock(&c->lock);
        if (--c->working == 0)
            pthread_cond_signal(&c->finished);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

/* glibc keeps the stacks of threads that have ended, up to 40 MB of them, for the next threads. The
 * next may be one of a library in a namespace of its own, whose free() would then be given what
 * the program's malloc() has allocated for the thread that ended. So large a stack is not kept; its
 * pages are not used either. */
static const size_t NOT_KEPT_BYTES = (size_t)64 << 20;

bool gr_callers_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    const bool begun = pthread_attr_setstacksize(&attributes, NOT_KEPT_BYTES) == 0 &&
                       pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return begun;
}

enum gradus_status gr_callers_open(int count, struct gr_callers **callers,
                                   struct gradus_error *error)
{
    struct gr_callers *c = *callers = calloc(1, sizeof *c);
    if (c)
        c->caller = calloc((size_t)count, sizeof *c->caller);
    if (!c || !c->caller) {
        free(c);
        *callers = NULL;
        return gr_fail_memory(error, "callers", (uint64_t)count * sizeof *c->caller);
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->finished, NULL);
    for (c->count = 1; c->count < count; c->count++) {
        struct caller *caller = &c->caller[c->count];
        *caller = (struct caller){.callers = c, .index = c->count};
        if (!gr_callers_thread(&caller->thread, serve, caller)) {
            gr_callers_close(c);
            *callers = NULL;
            return gr_fail_memory(error, "a caller's thread", 0);
        }
    }
    c->caller[0].callers = c;
    return GRADUS_OK;
}

void gr_callers_close(struct gr_callers *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
    for (int i = 1; i < c->count; i++)
        pthread_join(c->caller[i].thread, NULL);
    pthread_cond_destroy(&c->begun);
    pthread_cond_destroy(&c->finished);
    pthread_mutex_destroy(&c->lock);
    free(c->caller);
    free(c);
}

/* The overhead is not subtracted if it is most of the time, since that would be the noise of
 * both. */
static double ns_of_call(const struct gr_callers *c, const int *calls)
{
    const struct caller *last = &c->caller[0];
    int all = 0;
    for (int i = 0; i < c->count; i++) {
        last = c->caller[i].end_ns > last->end_ns ? &c->caller[i] : last;
        all += calls[i];
    }
    const double ns = (double)(last->end_ns - c->start_ns) + 1;
    const double overhead_ns = c->work->overhead_ns * last->calls;
    return c->count * (ns - (overhead_ns < 0.5 * ns ? overhead_ns : 0)) / all;
}

double gr_callers_run(struct gr_callers *c, const struct gr_callers_work *work, int most,
                      int *calls)
{
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->most = most;
    c->working = c->count - 1;
    atomic_store(&c->ready, 0);
    atomic_store(&c->start, false);
    atomic_store(&c->end, false);
    c->run++;
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
    make_calls(&c->caller[0]);
    pthread_mutex_lock(&c->lock);
    while (c->working > 0)
        pthread_cond_wait(&c->finished, &c->lock);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->count; i++)
        calls[i] = c->caller[i].calls;
    return ns_of_call(c, calls);
}
