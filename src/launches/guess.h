/* guess.h: how a file launches its own kernel. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_GUESS_H
#define LAUNCHES_GUESS_H

#include "records/kernel.h"

/* The expressions as --grid and its like take them; the names in them are sizes, or those that
 * `lets` defines ("TILE = 32, NT = TILE*TILE"). Freed with gr_guess_free. */
struct gr_guess {
    char *grid, *block, *smem, *lets; /* null: none, or not to be read */
    const char *path;                 /* where it stands: the kernel's */
    int line;
    int others;        /* launches of the kernel that come to something else */
    const char *doubt; /* why it is not certain; null: it is */
};

/* False: the file does not launch the stanza's kernel, or in words that cannot be read. Of several
 * launches, one with the template arguments of the stanza is taken before others. */
bool gr_launch_guess(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                     struct gr_guess *guess);
void gr_guess_free(struct gr_guess *guess);

#endif
