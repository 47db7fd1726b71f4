/* observe_planted.c: an observer that is added by the test of "one file". SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <unistd.h>

static void done(struct gr_run *run)
{
    static const char text[] = "the planted observer has seen it\n";
    (void)run;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
}

const struct gr_observer gr_observe_planted = {.done = done};
