/* dist_timeline.h: what a rank did during a product over many ranks, and for how long.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_TIMELINE_H
#define DIST_DIST_TIMELINE_H

#include <stdint.h>

struct gr_dist_timeline {
    double bring_s;    /* redistributing operands to the plan's layout, and the result from it */
    double product_s;  /* local products */
    double transfer_s; /* panels were being sent, whether or not something was multiplied */
    double wait_s;     /* panels were being sent, and nothing was multiplied */
    double all_s; /* from the beginning of the first to the end of the last, without agreements */
    int64_t sent_bytes, received_bytes; /* bytes of panels */
};

#endif
