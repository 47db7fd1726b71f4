/* crew.h: pinned threads that start together and work until a deadline. SPDX-License-Identifier:
 * MIT */
#ifndef PROBE_CREW_H
#define PROBE_CREW_H

#include <stdbool.h>
#include <stdint.h>

struct gr_crew_work {
    /* Does some microseconds of work as the thread of that index; returns how much was done, in a
     * unit of its own. */
    double (*step)(void *context, int thread);
    void *context;
};

/* Runs steps on `threads` threads, the caller being the first, each pinned to a CPU of its own
 * meanwhile, for about `ns` nanoseconds after one step to warm up. Returns the sum over the
 * threads of work per nanosecond; 0 if threads could not be created. *disturbed (may be null): a
 * thread waited for its core for more than GR_DISTURBED_ABOVE of the time. */
double gr_crew_rate(const struct gr_crew_work *work, int threads, int64_t ns, bool *disturbed);

#endif
