/* proposal.h: the `require` line that keeps a kernel from the sizes at which it is wrong.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROPOSAL_H
#define MEASURE_PROPOSAL_H

#include "measure/probe_shapes.h"
#include "measure/search.h"

/* What M, N and K must be multiples of, and at least one such multiple each; 1: any size does, 0:
 * no multiple explains it. */
struct gr_proposal {
    int64_t multiple[3];
    int64_t leading; /* of leading dimensions, where they may be longer than rows */
};

/* Found by trying multiples in one dimension after another, the others being whole tiles of any
 * usual kernel. `padded`: a shape with padded rows was wrong, so that they are looked at too. */
enum gradus_status gr_proposal_find(struct gr_search *search, bool padded,
                                    struct gr_proposal *proposal, struct gradus_error *error);

/* True where it excludes the shape. */
bool gr_proposal_excludes(const struct gr_proposal *proposal, struct gr_probe_shape shape);

/* The next larger shape that it does not exclude. */
void gr_proposal_round(const struct gr_proposal *proposal, struct gr_probe_shape *shape);

/* "N%4==0 && K%8==0 && K>=8", `bounded`: with the smallest sizes. Empty where it excludes nothing.
 */
void gr_proposal_text(const struct gr_search *search, const struct gr_proposal *proposal,
                      bool bounded, char text[160]);

/* Of a shape at which the kernel is wrong though no multiple explains it: the dimension alone that
 * is to blame, and up to which of its multiples the kernel is right: "N%4==0 && N<=256", "K>=1".
 * Empty where no one dimension is. */
enum gradus_status gr_proposal_remedy(struct gr_search *search, const struct gr_proposal *proposal,
                                      struct gr_probe_shape wrong, char text[160],
                                      struct gradus_error *error);

#endif
