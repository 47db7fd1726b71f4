/* suggest.h: front matter for a GPU kernel whose file says nothing of how it is launched: what the
 * project's own launches, the names and the indices suggest. A suggestion is no fact: it becomes
 * one when the kernel, launched so, multiplies matrices of which no two extents are equal.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_SUGGEST_H
#define LAUNCHES_SUGGEST_H

#include "catalog/catalog.h"

struct gr_suggestion {
    char *lines; /* what gr_kernel_parse takes as `extra`, the lines that were given among them */
    char *shown; /* the same as options of the command line: "--grid '…' --block '…' --args '…'" */
    char *origin; /* "launch taken from src/runner.cu:57" */
    bool square;  /* for M = N = K only */
    bool zero;    /* C is zeroed before */
    int score;
};

struct gr_suggestions {
    struct gr_suggestion
        *items; /* the likeliest first, those with fewer conditions before others */
    int count;
    char *trouble; /* why there are none; null where there are some */
};

/* `extra`: lines that were given, which are kept. INVALID where the file cannot be read, or has no
 * such kernel. */
enum gradus_status gr_suggest(const char *path, const char *extra, struct gr_suggestions *list,
                              struct gradus_error *error);
void gr_suggestions_free(struct gr_suggestions *list);

#endif
