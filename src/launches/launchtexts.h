/* launchtexts.h: translates grid, block, shared memory and template arguments of a launch to
 * front matter. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_LAUNCHTEXTS_H
#define LAUNCHES_LAUNCHTEXTS_H

#include "launches/assignments.h"

struct gr_launch_text {
    char *name; /* "gemm<64, 8>"; null if it is not a template */
    char *grid, *block, *smem;
    char *origin;
    int score;
    bool guessed;  /* no launch was found or understood */
    bool invented; /* usual numbers stand for what is not known of it */
};

struct gr_launch_texts {
    struct gr_launch_text *items;
    int count;
};

/* Translates the launch at `site`, with `assignment` for its arguments. If the value of a name
 * is unknown, there are several results, one for each value that such names usually have. */
void gr_launch_texts_read(const struct gr_kernel *kernel, const struct gr_function *function,
                          const struct gr_scan *scan, const struct gr_site *site,
                          const struct gr_assignment *assignment, struct gr_launch_texts *texts);
/* Common launches, for a kernel that no code launches, or with a launch at `site` that is not
 * understood, of which the block is taken if it is; `site` may be null. */
void gr_launch_texts_guess(const struct gr_function *function, const struct gr_scan *scan,
                           const struct gr_site *site, struct gr_launch_texts *texts);
void gr_launch_texts_free(struct gr_launch_texts *texts);

#endif
