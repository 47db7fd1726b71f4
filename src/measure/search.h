/* search.h: the search for a case at which a kernel is wrong: functions that the steps of
 * verification share. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SEARCH_H
#define MEASURE_SEARCH_H

#include "measure/probe_one.h"

struct gr_search {
    struct gr_session *session;
    const struct gr_candidate *candidate;
    struct gr_outcome *outcome; /* of the whole row */
    struct gr_scales scales[GR_SCALE_PAIRS];
    int scale_count;
    bool ignore_nan_c; /* it is known to read C with beta 0, so that is not tested again */
};

/* `outcome`: the results for the row so far. */
struct gr_search gr_search_begin(struct gr_session *session, const struct gr_candidate *candidate,
                                 struct gr_outcome *outcome);

/* Is a kernel that reads C with beta 0 wrong? A built-in one is, and any with --strict. */
bool gr_search_is_strict(const struct gr_search *search);

/* Runs one GEMM, with C full of NaN if beta is 0. If only the NaN cause a failure, the row gets
 * the finding "reads C", and the GEMM counts as correct unless the search is strict. `trial` has
 * pair, alpha and beta; free `one` with gr_outcome_free. */
enum gradus_status gr_search_try(struct gr_search *search, const struct gr_trial *trial,
                                 struct gr_outcome *one, struct gradus_error *error);

/* The same at the shape of a probe. */
enum gradus_status gr_search_probe(struct gr_search *search, const struct gr_probe *probe,
                                   struct gr_scales scales, struct gr_outcome *one,
                                   struct gradus_error *error);

/* Marks the row as wrong because of `one`: adds its findings, and a reason that names the case.
 * Takes ownership of `one`. */
void gr_search_mark_wrong(struct gr_search *search, struct gr_outcome *one,
                          const struct gr_problem *problem, struct gr_scales scales);

/* On the simulator: adds the kernel's faults at that problem to `reported`, with its size. */
enum gradus_status gr_search_faults(struct gr_search *search, const struct gr_problem *problem,
                                    struct gr_findings *reported, struct gradus_error *error);

/* Combines a reason and its case: "C is as it was (at 5x7x0, alpha 1.5, beta 0.5)". */
void gr_search_reason(const char *reason, const char *name, char text[256]);

/* Is the verdict a failure of the kernel? */
bool gr_outcome_is_wrong(const struct gr_outcome *outcome);

#endif
