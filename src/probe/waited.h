/* waited.h: how long threads were ready to run and had no core, since others had it.
 * SPDX-License-Identifier: MIT */
#ifndef PROBE_WAITED_H
#define PROBE_WAITED_H

#include <stdint.h>

/* What the system has counted of threads since they began. */
struct gr_waited {
    int64_t ns;    /* ready to run and not running; -1: the system does not tell (Linux does, in
                      schedstat below /proc) */
    int64_t turns; /* how often they were given a core */
};

/* Of the calling thread; of all threads of the process together. */
struct gr_waited gr_waited_own(void);
struct gr_waited gr_waited_all(void);

/* What was lost to others between two readings, in nanoseconds; -1: not known. A thread that is
 * woken is ready for some microseconds before it runs, on an idle machine too: 50 of a turn are not
 * counted. One that finds its core taken waits for the other's slice, which is a millisecond or
 * more. */
int64_t gr_waited_between_ns(struct gr_waited before, struct gr_waited after);

#endif
