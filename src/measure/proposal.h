/* proposal.h: finds a `require` line that excludes the sizes at which a kernel is wrong.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROPOSAL_H
#define MEASURE_PROPOSAL_H

#include "measure/probe_shapes.h"
#include "measure/search.h"

/* M, N and K must be positive multiples of these numbers; 1: any size is allowed, 0: no multiple
 * explains the failures. */
struct gr_proposal {
    int64_t multiple[3];
    int64_t leading; /* for leading dimensions that may be larger than the rows */
};

/* Tries multiples in one dimension after another while the others are multiples of any common
 * tile size. `padded`: a shape with padded rows failed, so leading dimensions are tried too. */
enum gradus_status gr_proposal_find(struct gr_search *search, bool padded,
                                    struct gr_proposal *proposal, struct gradus_error *error);

/* Does it exclude the shape? */
bool gr_proposal_excludes(const struct gr_proposal *proposal, struct gr_probe_shape shape);

/* Rounds the shape up to one that it does not exclude. */
void gr_proposal_round(const struct gr_proposal *proposal, struct gr_probe_shape *shape);

/* "N%4==0 && K%8==0 && K>=8"; the lower bounds only if `bounded`. Empty if nothing is excluded. */
void gr_proposal_text(const struct gr_search *search, const struct gr_proposal *proposal,
                      bool bounded, char text[160]);

/* For a shape at which the kernel fails although no multiple explains it: the single dimension
 * that causes the failure, and up to which of its multiples the kernel is correct: "N%4==0 &&
 * N<=256", "K>=1". Empty if no single dimension causes it. */
enum gradus_status gr_proposal_remedy(struct gr_search *search, const struct gr_proposal *proposal,
                                      struct gr_probe_shape wrong, char text[160],
                                      struct gradus_error *error);

#endif
