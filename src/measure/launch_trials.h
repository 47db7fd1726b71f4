/* launch_trials.h: tries suggested launches on small products, until one is right.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_LAUNCH_TRIALS_H
#define MEASURE_LAUNCH_TRIALS_H

#include "launches/suggest.h"
#include "measure/find_launch.h"

struct gr_extent {
    int64_t m, n, k;
};

/* Set `wanted`, open `session`, and end with gr_trials_close. */
struct gr_trials {
    const struct gr_launch_search *wanted;
    struct gr_session session;
    struct built *builds;
    int64_t until_ns, until_cpu_ns; /* limits of wall time and of processor time */
    int tried;
    bool adds_in_f16; /* the last trial was wrong, with the elements that sums in f16 give */
    bool strays;      /* the last trial was right but for what it wrote outside of the operands */
    /* The first suggestion of the project's own launch that was so, and its size. */
    const struct gr_suggestion *stray;
    struct gr_extent stray_at;
    bool took_stray; /* it is the result, since none is right */
};

/* The kernel of the first suggestion that is right, *which, at the sizes *at; null: none is. If
 * none is, that of a launch of the project that is right but for what it writes outside. A
 * suggestion for a matrix and a vector is given the line that says so, and one of a kernel that
 * adds in f16 that which says this. */
struct gr_kernel *gr_trials_find(struct gr_trials *trials, struct gr_suggestions *list,
                                 const struct gr_suggestion **which, struct gr_extent *at);
/* Is the launch that was found, whose grid may be the same for all sizes, also right for a product
 * that such a grid does not cover? */
bool gr_trials_grows(struct gr_trials *trials, struct gr_kernel *kernel,
                     const struct gr_suggestion *suggestion);
/* The kernel as the suggestion describes it; null: it cannot be read. */
struct gr_kernel *gr_trials_kernel(const struct gr_trials *trials,
                                   const struct gr_suggestion *suggestion,
                                   struct gradus_error *error);
/* Is there a GPU but no compiler for it? */
bool gr_trials_lack_compiler(const struct gr_trials *trials);
void gr_trials_close(struct gr_trials *trials);

#endif
