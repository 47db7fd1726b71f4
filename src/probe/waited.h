/* waited.h: how long threads were ready to run without a core, because other programs used it.
 * SPDX-License-Identifier: MIT */
#ifndef PROBE_WAITED_H
#define PROBE_WAITED_H

#include <stdint.h>

/* What the system has counted for threads since they began. */
struct gr_waited {
    int64_t ns;    /* nanoseconds ready to run and not running; -1: not known (Linux reports it in
                      schedstat below /proc) */
    int64_t turns; /* the number of times that they were given a core */
};

/* For the calling thread; for all threads of the process together. */
struct gr_waited gr_waited_own(void);
struct gr_waited gr_waited_all(void);

/* The nanoseconds that were lost to other programs between two readings; -1: not known. A thread
 * that is woken is ready for some microseconds before it runs, on an idle machine too: 50
 * microseconds for each turn are not counted. A thread that finds its core in use waits for the
 * end of the other's time slice, which is a millisecond or more. */
int64_t gr_waited_between_ns(struct gr_waited before, struct gr_waited after);

#endif
