/* judge.h: compares elements with their error bounds, and collects the results.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_JUDGE_H
#define CHECK_JUDGE_H

#include "check/reference.h"

/* The error bound of one check. An element passes if
 *     |got - want| - stored <= limit * eps * (|alpha| S + |beta||c0|) + lost
 * where S = sum|a||b|. `stored` is half a unit in the last place of C's type if that is coarser
 * than the type of the sums, and `lost` is what underflow may take from K products. */
struct gr_rule {
    double alpha, beta; /* rounded to the kernel's type */
    bool exact;         /* sums that the type represents exactly must be equal */
    double eps, limit, lost;
    double exact_below;             /* the largest |alpha| S + |beta||c0| that is still exact */
    double stored_eps, stored_lost; /* of C's type; 0 if it is as precise as the type of the sums */
    double most;                    /* the largest finite value of C's type */
};

struct gr_rule gr_rule_make(const struct gr_reference *reference, double alpha, double beta,
                            bool exact);

/* The wanted value of an element, and the scale and slack of its bound. */
struct gr_want {
    double value, scale, slack; /* it passes if |got - value| - slack <= limit * scale */
};

struct gr_want gr_rule_want(const struct gr_rule *rule, double product, double absolute, double c0);
/* The error ratio, to be compared with rule->limit; infinity for a value that never passes. */
double gr_rule_ratio(const struct gr_rule *rule, struct gr_want want, double got);

struct gr_place {
    int64_t row, col;
};

/* The results of one C so far. */
struct gr_tally {
    const struct gr_reference *reference;
    struct gr_rule rule;
    const void *c0, *c;
    struct gr_worst worst;
    int64_t compared, wrong_count;
    int64_t nonfinite_count; /* NaN or Inf where the reference is finite */
    struct gr_place odd_first;
    double odd_value;
    double tolerance; /* the largest bound of any element that was compared */
    double squares;   /* the sum of the squares of the wanted values */
    struct gr_place *wrong;
    int64_t wrong_listed, wrong_room; /* the listed elements may be fewer than wrong_count */
};

/* The element of C and of C0; that of C0 is 0 if beta is 0. */
double gr_tally_got(const struct gr_tally *tally, int64_t row, int64_t col);
double gr_tally_c0(const struct gr_tally *tally, int64_t row, int64_t col);
/* Checks one element against its product and the product of absolute values. True if it passes. */
bool gr_tally_add(struct gr_tally *tally, int64_t row, int64_t col, double product,
                  double absolute);
/* Counts an element as wrong that is NaN or Inf, without computing its reference. */
void gr_tally_add_nonfinite(struct gr_tally *tally, int64_t row, int64_t col);
void gr_tally_free(struct gr_tally *tally);

#endif
