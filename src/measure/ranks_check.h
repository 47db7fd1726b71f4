/* ranks_check.h: checks a product of which no rank has a whole matrix.
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

/* Fills A and B with whole numbers, so small that every sum of theirs is exact in the type, and C
 * with NaN. An element depends on its place and the seed alone, not on who has it. */
void gr_ranks_fill(const struct gr_ranks_operands *operands, int64_t rank);

/* Collective: whether C = A B, by Freivalds' check: C x = A (B x) for a random vector x, modulo
 * 2^64, in which whole numbers are exact. A row that is wrong in one element is always found, one
 * that is wrong in several, each by less than 2^30, with a probability of more than 1 - 2^-32.
 * *wrong_row: the first row that is wrong, or -1. Errors: NO_MEMORY, those of the transport. */
enum gradus_status gr_ranks_check(struct gr_dist_comm *comm,
                                  const struct gr_ranks_operands *operands, int64_t *wrong_row,
                                  struct gradus_error *error);

#endif
