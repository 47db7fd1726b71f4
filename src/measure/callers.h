/* callers.h: threads that call at the same time, as those of a server do, and the sum of their
 * rates. SPDX-License-Identifier: MIT */
#ifndef MEASURE_CALLERS_H
#define MEASURE_CALLERS_H

#include <gradus/gradus.h>
#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that calls a peer: its stack is not kept for threads of the peer's own after it
 * has ended. False: it was not started. */
bool gr_callers_thread(pthread_t *thread, void *(*run)(void *), void *argument);

struct gr_callers;

struct gr_callers_work {
    /* What a caller does before all of them start; may be null. */
    void (*prepare)(void *context, int caller);
    /* Call number `call`, counted from 0, of that caller. */
    void (*call)(void *context, int caller, int call);
    void *context;
    double overhead_ns; /* the part of a call that is not counted */
};

/* `count` callers, 2 or more; the thread that runs them is the first. The others sleep meanwhile.
 */
enum gradus_status gr_callers_open(int count, struct gr_callers **callers,
                                   struct gradus_error *error);
void gr_callers_close(struct gr_callers *callers);

/* All callers start together. As soon as one has made `most` calls, each of the others ends with
 * the call that it is in, so that hardly any waits for the others. calls[i] is the number of calls
 * that caller i has made, 1 or more. A caller's rate is its calls in the time until the last one
 * has ended; in its own time it would be too high where callers wait for one another. Returns the
 * nanoseconds of a call, such that `count` callers of this time have the sum of these rates. */
double gr_callers_run(struct gr_callers *callers, const struct gr_callers_work *work, int most,
                      int *calls);

#endif
