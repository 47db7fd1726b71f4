/* quiet.c: waiting for spinning threads to fall asleep. SPDX-License-Identifier: MIT */
#include "lab/quiet.h"

#include "base/clock.h"

#include <time.h>

static int64_t cpu_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* CPU time of all threads but this one. */
static int64_t others_ns(void)
{
    return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* This thread stays awake meanwhile: if it slept, the core would clock down before the sample. */
static void stay_awake(int64_t ns)
{
    int64_t until_ns = gr_now_ns() + ns;
    while (gr_now_ns() < until_ns)
        ;
}

void gr_quiet_wait(void)
{
    const int64_t window_ns = 100000, idle_ns = 5000, patience_ns = 100000000;
    int64_t give_up_ns = gr_now_ns() + patience_ns;
    for (int64_t before = others_ns(); gr_now_ns() < give_up_ns;) {
        stay_awake(window_ns);
        int64_t after = others_ns();
        if (after - before < idle_ns)
            return;
        before = after;
    }
}
