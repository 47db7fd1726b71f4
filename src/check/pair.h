/* pair.h: one pair of inputs A and B, an initial C, and the reference for their product. These
 * are the parent's private copies; the arena is filled from them and compared with them.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_PAIR_H
#define CHECK_PAIR_H

#include "check/check.h"
#include "records/problem.h"

struct gr_pair {
    struct gr_problem problem; /* its alpha and beta are ignored */
    void *a, *b, *c0; /* stored with their leading dimensions; padding between rows is canary */
    struct gr_reference *reference;
};

/* The value of every canary byte. Read as a float or double it is NaN, so that a result computed
 * from padding is conspicuous. */
enum { GR_CANARY = 0xFF };

/* The user's own matrices (--input), row-major and dense, of the problem's types; or null. */
struct gr_inputs {
    const void *a, *b;
};

/* Fills A, B and C0 from `seed` (or copies `inputs`) and computes the reference. `full_limit` as
 * in gr_reference_make. */
enum gradus_status gr_pair_make(const struct gr_problem *problem, enum gr_fill fill, uint64_t seed,
                                const char *math, const struct gr_inputs *inputs,
                                int64_t full_limit, int threads, struct gr_pair *pair,
                                struct gradus_error *error);
/* The same matrices with the leading dimensions of `problem`, which has the same shape. Free it
 * before `from`. */
enum gradus_status gr_pair_with_ld(const struct gr_pair *from, const struct gr_problem *problem,
                                   struct gr_pair *pair, struct gradus_error *error);
void gr_pair_free(struct gr_pair *pair);

/* The size of an operand in bytes, including the padding between its rows. */
uint64_t gr_operand_bytes(const struct gr_problem *problem, char operand);

#endif
