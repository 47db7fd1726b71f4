/* search.h: looking for a case at which a kernel is wrong: what the steps of verifying share.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SEARCH_H
#define MEASURE_SEARCH_H

#include "measure/probe_one.h"

struct gr_search {
    struct gr_session *session;
    const struct gr_entrant *entrant;
    struct gr_outcome *outcome; /* of the whole row */
    struct gr_scales scales[GR_SCALE_PAIRS];
    int scale_count;
    bool ignore_nan_c; /* it is known to read C at beta 0, and that is not asked again */
};

/* `outcome`: what is known of the row so far. */
struct gr_search gr_search_begin(struct gr_session *session, const struct gr_entrant *entrant,
                                 struct gr_outcome *outcome);

/* Must a kernel that reads C at beta 0 be called wrong? A built-in one, and any with --strict. */
bool gr_search_is_strict(const struct gr_search *search);

/* One product, C full of NaN where beta is 0. What is wrong with NaN alone becomes the finding
 * "reads C" of the row, and the product counts as right unless the search is strict. `trial` has
 * pair, alpha and beta; `one` ends with gr_outcome_free. */
enum gradus_status gr_search_try(struct gr_search *search, const struct gr_trial *trial,
                                 struct gr_outcome *one, struct gradus_error *error);

/* The same at a probe's shape. */
enum gradus_status gr_search_probe(struct gr_search *search, const struct gr_probe *probe,
                                   struct gr_scales scales, struct gr_outcome *one,
                                   struct gradus_error *error);

/* The row is wrong, by `one`, whose findings it gets; its reason names the case. Takes `one` over.
 */
void gr_search_condemn(struct gr_search *search, struct gr_outcome *one,
                       const struct gr_problem *problem, struct gr_scales scales);

/* On the simulator: the faults of the kernel at that problem are added to `told`, under its size.
 */
enum gradus_status gr_search_faults(struct gr_search *search, const struct gr_problem *problem,
                                    struct gr_findings *told, struct gradus_error *error);

/* "C is as it was (at 5x7x0, alpha 1.5, beta 0.5)": a reason and its case. */
void gr_search_reason(const char *reason, const char *name, char text[256]);

/* True for a verdict that speaks against the kernel. */
bool gr_outcome_is_wrong(const struct gr_outcome *outcome);

#endif
