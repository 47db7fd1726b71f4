/* launchtexts.h: grid, block, shared memory and template arguments of a launch, as front matter.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_LAUNCHTEXTS_H
#define LAUNCHES_LAUNCHTEXTS_H

#include "launches/assignments.h"

struct gr_launch_text {
    char *name; /* "gemm<64, 8>"; null for what is no template */
    char *grid, *block, *smem;
    char *origin;
    int score;
};

struct gr_launch_texts {
    struct gr_launch_text *items;
    int count;
};

/* Of the launch at `site`, its arguments being `assignment`. Where a name in it is not known,
 * several: one for each of the values that such names usually have. */
void gr_launch_texts_read(const struct gr_kernel *kernel, const struct gr_function *function,
                          const struct gr_scan *scan, const struct gr_site *site,
                          const struct gr_assignment *assignment, struct gr_launch_texts *texts);
/* The usual ones, for a kernel that nobody launches. */
void gr_launch_texts_guess(const struct gr_kernel *kernel, const struct gr_function *function,
                           const struct gr_scan *scan, struct gr_launch_texts *texts);
void gr_launch_texts_free(struct gr_launch_texts *texts);

#endif
