/* pair.h: one pair of inputs A and B, a C to start from, and the reference for their product; the
 * parent's private copies, from which the arena is filled and against which it is compared.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_PAIR_H
#define CHECK_PAIR_H

#include "check/check.h"
#include "records/problem.h"

struct gr_pair {
    struct gr_problem problem; /* the shape; alpha and beta do not matter */
    void *a, *b, *c0;          /* their spans; the padding between rows is canary */
    struct gr_reference *reference;
};

/* Every byte of a canary. As a float or double it is a NaN, so that what is computed from padding
 * shows. */
enum { GR_CANARY = 0xFF };

/* The user's own matrices (--input), row-major, dense, of the problem's types; or null. */
struct gr_inputs {
    const void *a, *b;
};

/* Fills A, B, C0 from `seed` (or copies `inputs`) and prepares the reference. `full_limit` as in
 * gr_reference_make. */
enum gradus_status gr_pair_make(const struct gr_problem *problem, enum gr_fill fill, uint64_t seed,
                                const char *math, const struct gr_inputs *inputs,
                                int64_t full_limit, int threads, struct gr_pair *pair,
                                struct gradus_error *error);
/* The same matrices with the leading dimensions of `problem`, whose shape is the same. It is freed
 * before `from`. */
enum gradus_status gr_pair_relay(const struct gr_pair *from, const struct gr_problem *problem,
                                 struct gr_pair *pair, struct gradus_error *error);
void gr_pair_free(struct gr_pair *pair);

/* Bytes of an operand's span. */
uint64_t gr_operand_bytes(const struct gr_problem *problem, char operand);

#endif
