/* assignments.h: what a kernel's parameters may be passed, the likeliest first.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_ASSIGNMENTS_H
#define LAUNCHES_ASSIGNMENTS_H

#include "source/hints.h"
#include "launches/launchsites.h"

/* Values for all parameters, and how the matrices lie then. */
struct gr_assignment {
    const char *roles[GR_MOST_HINTED]; /* as an `args` line has them */
    bool columns;                      /* all matrices by columns */
    int trans;                         /* 0 nn, 1 nt, 2 tn, 3 tt */
    int score;
    bool is_square; /* not all of M, N and K are among the roles */
    bool is_whole;  /* is_square, and yet worth a trial at any shape */
    bool is_first;  /* of those that differ only in what is equal in a square */
    bool may_zero;  /* the kernel adds to C, and takes no beta */
};

struct gr_assignments {
    struct gr_assignment *items;
    int count;
    char **texts; /* numbers of launches, among the roles */
    int text_count;
};

struct gr_assigner {
    const struct gr_kernel *kernel;
    const struct gr_scan *scan;
    const struct gr_function *function;
    const struct gr_signature *signature;
    struct gr_hints hints;
    bool layout_given, trans_given;
};

/* INVALID for a parameter that nothing can be passed for: a structure by value. */
enum gradus_status gr_assigner_make(const struct gr_kernel *kernel, const struct gr_scan *scan,
                                    const struct gr_function *function,
                                    const struct gr_signature *signature, bool layout_given,
                                    bool trans_given, struct gr_assigner *assigner,
                                    struct gradus_error *error);
void gr_assigner_free(struct gr_assigner *assigner);

/* `site` may be null: then nothing is known of the arguments of a launch. */
void gr_assignments_make(const struct gr_assigner *assigner, const struct gr_site *site,
                         struct gr_assignments *list);
void gr_assignments_free(struct gr_assignments *list);

#endif
