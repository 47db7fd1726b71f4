/* guess.h: reads how a file launches its own kernel. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_GUESS_H
#define LAUNCHES_GUESS_H

#include "records/kernel.h"

/* The expressions of a launch in the form of --grid and the like. Their names are sizes, or
 * names that `lets` defines ("TILE = 32, NT = TILE*TILE"). Free it with gr_guess_free. */
struct gr_guess {
    char *grid, *block, *smem, *lets; /* null: not given, or not understood */
    const char *path;                 /* of the launch: the kernel's file */
    int line;
    int others;        /* other launches of the kernel with different expressions */
    const char *doubt; /* why the guess is uncertain; null: it is certain */
};

/* False if the file does not launch the stanza's kernel, or with expressions that are not
 * understood. Of several launches, those with the template arguments of the stanza are
 * preferred. */
bool gr_launch_guess(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                     struct gr_guess *guess);
void gr_guess_free(struct gr_guess *guess);

#endif
