/* suggest.h: suggests front matter for a kernel whose file does not say how it is launched or
 * called, from the project's launches (on a GPU), names and index expressions. A suggestion is
 * confirmed only when the kernel, launched that way, multiplies matrices of pairwise different
 * sizes correctly. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_SUGGEST_H
#define LAUNCHES_SUGGEST_H

#include "catalog/catalog.h"

/* The `type` line of a kernel of halves whose sums are halves, too. */
#define GR_HALF_SUMS "A=f16 B=f16 C=f16 ACC=f16"

struct gr_suggestion {
    char *lines;  /* the `extra` of gr_kernel_parse, including the lines that were given */
    char *shown;  /* the same as command-line options: "--grid '…' --block '…' --args '…'" */
    char *origin; /* "launch taken from src/runner.cu:57" */
    bool square;  /* only for M = N = K */
    bool zero;    /* C is set to zero before */
    int score;
    bool guessed;   /* no launch was found or understood */
    bool half_sums; /* a trial has shown that the kernel adds in f16: the lines say so */
    bool invented;  /* usual numbers stand for what is not known of the launch */
};

struct gr_suggestions {
    /* The most likely first, and those with fewer conditions before others. */
    struct gr_suggestion *items;
    int count;
    char *trouble; /* why there are no suggestions; null if there are some */
};

/* `extra`: given lines, which are kept. INVALID if the file cannot be read or does not contain
 * such a kernel. */
enum gradus_status gr_suggest(const char *path, const char *extra, struct gr_suggestions *list,
                              struct gradus_error *error);
/* The same with usual launches in place of those of the project, for a kernel that is right with
 * none of these. None for a kernel whose grid was given. */
enum gradus_status gr_suggest_usual(const char *path, const char *extra,
                                    struct gr_suggestions *list, struct gradus_error *error);
void gr_suggestions_free(struct gr_suggestions *list);

#endif
