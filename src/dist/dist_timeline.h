/* dist_timeline.h: what a rank did during a product over many ranks, and for how long.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_TIMELINE_H
#define DIST_DIST_TIMELINE_H

#include <stdint.h>

struct gr_dist_timeline {
    double bring_s;    /* bringing operands into the plan's layout, and the result back */
    double product_s;  /* local products */
    double transfer_s; /* panels were on their way, whether or not something was multiplied then */
    double wait_s;     /* panels were on their way, and nothing was multiplied */
    double all_s;      /* from the first of these to the last, agreements not included */
    int64_t sent_bytes, received_bytes; /* of panels */
};

#endif
