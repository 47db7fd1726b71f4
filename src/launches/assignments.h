/* assignments.h: the possible assignments of roles to a kernel's parameters, the most likely
 * first. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_ASSIGNMENTS_H
#define LAUNCHES_ASSIGNMENTS_H

#include "source/hints.h"
#include "launches/launchsites.h"

/* The role of an array of zeros is this and the parameter's name: the name of a `work` buffer. */
#define GR_ZEROS "zeros_"

/* A role for each parameter, and the storage order of the matrices that goes with it. */
struct gr_assignment {
    const char *roles[GR_MOST_HINTED]; /* as in an `args` line */
    bool columns;                      /* all matrices are column-major */
    int trans;                         /* 0 nn, 1 nt, 2 tn, 3 tt */
    int score;
    bool is_square; /* the roles do not include all of M, N and K */
    bool is_whole;  /* is_square, but worth a trial at any shape, as where the file has the sizes */
    bool is_first;  /* the first of those that are equal for square problems */
    bool may_zero;  /* the kernel adds to C and has no beta */
};

struct gr_assignments {
    struct gr_assignment *items;
    int count;
    char **texts; /* numbers from launches, if they are among the roles */
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

/* INVALID if no argument can be passed for a parameter, such as a structure by value. */
enum gradus_status gr_assigner_make(const struct gr_kernel *kernel, const struct gr_scan *scan,
                                    const struct gr_function *function,
                                    const struct gr_signature *signature, bool layout_given,
                                    bool trans_given, struct gr_assigner *assigner,
                                    struct gradus_error *error);
void gr_assigner_free(struct gr_assigner *assigner);

/* `site` may be null; then no arguments of a launch are known. */
void gr_assignments_make(const struct gr_assigner *assigner, const struct gr_site *site,
                         struct gr_assignments *list);
void gr_assignments_free(struct gr_assignments *list);

#endif
