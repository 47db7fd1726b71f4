/* ranks_check.h: checks a product without a whole matrix on any rank.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_CHECK_H
#define MEASURE_RANKS_CHECK_H

#include "dist/dist_plan.h"
#include "dist/dist_redistribute.h"
#include "dist/dist_transport.h"

/* This rank's parts of A, B and C, in the plan's layout. */
struct gr_ranks_operands {
    const struct gr_dist_plan *plan;
    enum gradus_type type;
    uint64_t seed;
    struct gr_dist_matrix parts[3];
};

/* Fills A and B with whole numbers that are so small that all sums are exact in the type, and C
 * with NaN. An element depends only on its position and the seed, not on the rank that has it. */
void gr_ranks_fill(const struct gr_ranks_operands *operands, int64_t rank);

/* Collective. Checks C = A B by Freivalds' method: C x = A (B x) for a random vector x, modulo
 * 2^64, where whole numbers are exact. A row with one wrong element is always detected; a row with
 * several wrong elements, each by less than 2^30, is detected with a probability of more than 1 -
 * 2^-32. *wrong_row is the first wrong row, or -1. Errors: NO_MEMORY, those of the transport. */
enum gradus_status gr_ranks_check(struct gr_dist_comm *comm,
                                  const struct gr_ranks_operands *operands, int64_t *wrong_row,
                                  struct gradus_error *error);

#endif
