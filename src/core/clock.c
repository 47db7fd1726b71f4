/* clock.c: the monotonic clock. SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include <errno.h>
#include <time.h>

int64_t gr_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void gr_sleep_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    while (nanosleep(&t, &t) == -1 && errno == EINTR)
        ;
}
