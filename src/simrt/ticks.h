/* ticks.h: the run time's own clock: it is linked into programs without the rest of Gradus. SPDX-License-Identifier: MIT */
#ifndef SIMRT_TICKS_H
#define SIMRT_TICKS_H

#include <stdint.h>
#include <time.h>

static inline int64_t gr_sim_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
