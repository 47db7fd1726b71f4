/* steps.h: the progress of a command of a few steps; each is shown as it begins.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_STEPS_H
#define CLI_STEPS_H

#include "records/follow.h"

struct gr_steps {
    struct gr_follower follower; /* its stage is a step */
    const char *what;            /* "07_tile2d 4096" */
    int done, count;
    char head[160];
};

/* The line is shown from here on: "[1/4] what". `what` outlives the steps. */
void gr_steps_begin(struct gr_steps *steps, const char *what, int count);
void gr_steps_end(struct gr_steps *steps);

#endif
