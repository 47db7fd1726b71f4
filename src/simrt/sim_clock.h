/* sim_clock.h: the clocks of the run time, which is linked into programs without the rest of
 * Gradus. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SIM_CLOCK_H
#define SIMRT_SIM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t gr_sim_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t gr_sim_now_ns(void)
{
    return gr_sim_clock_ns(CLOCK_MONOTONIC);
}

/* The processor time of all threads of the process. Limits are given in it, so that a busy machine
 * does not change a result. */
static inline int64_t gr_sim_worked_ns(void)
{
    return gr_sim_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
