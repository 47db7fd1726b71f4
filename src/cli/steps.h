/* steps.h: shows the progress of a command that consists of a few steps, each when it begins.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_STEPS_H
#define CLI_STEPS_H

#include "records/follow.h"

struct gr_steps {
    struct gr_follower follower; /* each stage that it reports is a step */
    const char *what;            /* for example "07_tile2d 4096" */
    int done, count;
    char head[160];
};

/* Shows the line "[1/4] what" until gr_steps_end. `what` must outlive the steps. */
void gr_steps_begin(struct gr_steps *steps, const char *what, int count);
void gr_steps_end(struct gr_steps *steps);

#endif
