/* judge.h: one element against its bound, and the tally of many. SPDX-License-Identifier: MIT */
#ifndef CHECK_JUDGE_H
#define CHECK_JUDGE_H

#include "check/reference.h"

/* The error bound of one check. An element passes when
 *     |got - want| - stored  <=  limit * eps * (|alpha| S + |beta||c0|) + lost
 * where S = sum|a||b|, `stored` is half a unit of C's type where that is coarser than the
 * accumulation's, and `lost` is what underflow may take from K products. */
struct gr_rule {
    double alpha, beta; /* as the kernel's type holds them */
    bool exact;         /* sums that the type holds exactly are compared exactly */
    double eps, limit, lost;
    double exact_below;             /* |alpha| S + |beta||c0| that is still exact */
    double stored_eps, stored_lost; /* of C's type, 0 where it is as fine as the accumulation's */
    double most;                    /* the largest finite value of C's type */
};

struct gr_rule gr_rule_make(const struct gr_reference *reference, double alpha, double beta,
                            bool exact);

/* What an element should be, and how far off it may be. */
struct gr_want {
    double value, scale, slack; /* passes when |got - value| - slack <= limit * scale */
};

struct gr_want gr_rule_want(const struct gr_rule *rule, double product, double absolute, double c0);
/* The ratio to compare with rule->limit; infinity for what may never pass. */
double gr_rule_ratio(const struct gr_rule *rule, struct gr_want want, double got);

struct gr_place {
    int64_t row, col;
};

/* What has been seen of one C so far. */
struct gr_tally {
    const struct gr_reference *reference;
    struct gr_rule rule;
    const void *c0, *c;
    struct gr_worst worst;
    int64_t compared, wrong_count;
    int64_t odd_count; /* NaN or Inf where the reference is finite */
    struct gr_place odd_first;
    double odd_value;
    double tolerance; /* the largest error allowed to any element compared */
    double squares;   /* of what was wanted */
    struct gr_place *wrong;
    int64_t wrong_listed, wrong_room; /* the list may be shorter than wrong_count */
};

/* C's and C0's element; C0's is 0 where it is not read. */
double gr_tally_got(const struct gr_tally *tally, int64_t row, int64_t col);
double gr_tally_c0(const struct gr_tally *tally, int64_t row, int64_t col);
/* Judges one element by its product and absolute product. True when it passes. */
bool gr_tally_add(struct gr_tally *tally, int64_t row, int64_t col, double product,
                  double absolute);
/* Counts an element whose reference was not computed as wrong for being NaN or Inf. */
void gr_tally_add_odd(struct gr_tally *tally, int64_t row, int64_t col);
void gr_tally_free(struct gr_tally *tally);

#endif
