/* callers.h: threads that make calls at the same time, as those of a server do, and the sum of
 * their rates. SPDX-License-Identifier: MIT */
#ifndef MEASURE_CALLERS_H
#define MEASURE_CALLERS_H

#include <gradus/gradus.h>
#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that calls a peer. Its stack is not reused after it has ended, because the peer
 * could get it for a thread of its own. Returns false if the thread could not be started. */
bool gr_callers_thread(pthread_t *thread, void *(*run)(void *), void *argument);

struct gr_callers;

struct gr_callers_work {
    /* Called by each caller before all of them start; may be null. */
    void (*prepare)(void *context, int caller);
    /* Makes call number `call`, counted from 0, of a caller. */
    void (*call)(void *context, int caller, int call);
    void *context;
    double overhead_ns; /* the part of a call that is not counted */
};

/* Opens `count` callers, 2 or more. The thread that runs them is the first; the others sleep
 * between runs. */
enum gradus_status gr_callers_open(int count, struct gr_callers **callers,
                                   struct gradus_error *error);
void gr_callers_close(struct gr_callers *callers);

/* Starts all callers together. As soon as one has made `most` calls, each of the others stops after
 * its current call, so that they hardly wait for each other. calls[i] receives the number of calls
 * of caller i, 1 or more. The rate of a caller is its number of calls divided by the time until the
 * last caller has ended; divided by its own time, it would be too high if callers wait for each
 * other. Returns the time of a call in nanoseconds such that `count` callers with this time have
 * the same sum of rates. */
double gr_callers_run(struct gr_callers *callers, const struct gr_callers_work *work, int most,
                      int *calls);

#endif
