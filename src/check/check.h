/* check.h: checks whether C is right, with a float64 reference and error bounds, and diagnoses a
 * wrong C. docs/verifying.md has the rules. SPDX-License-Identifier: MIT */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "records/problem.h"
#include "records/row.h"

/* How matrices are filled. X(enumerator, name). */
#define GR_FILL_LIST(X)                                                                            \
    X(GR_FILL_UNIFORM, "uniform") /* [-1, 1) */                                                    \
    X(GR_FILL_NORMAL, "normal")                                                                    \
    X(GR_FILL_INTEGER, "integer")   /* integers, |x| <= 8: sums are exact and compared exactly */  \
    X(GR_FILL_WIDE, "wide")         /* magnitudes from 2^-20 to 2^20 */                            \
    X(GR_FILL_POSITIVE, "positive") /* [0, 1) */                                                   \
    X(GR_FILL_ONES, "ones")

enum gr_fill {
#define GR_FILL_ENUM(enumerator, name) enumerator,
    GR_FILL_LIST(GR_FILL_ENUM)
#undef GR_FILL_ENUM
};

const char *gr_fill_name(enum gr_fill fill);
bool gr_fill_parse(const char *name, enum gr_fill *fill);

/* Fills a rows x cols matrix with leading dimension ld. The elements between cols and ld are not
 * written. The values depend on (fill, seed) and not on ld. A, B and C0 need different seeds. */
void gr_fill_matrix(enum gr_fill fill, uint64_t seed, enum gr_dtype type, int64_t rows,
                    int64_t cols, int64_t ld, void *elements);

/* Element i of an array of `type` as a double. */
double gr_element(enum gr_dtype type, const void *elements, int64_t i);

/* The reference for one pair A, B: everything about op(A) op(B) that is needed to check many
 * results C. It refers to A and B, which must not change until gr_reference_free. */
struct gr_reference;

/* Computes the reference: the full product and sum|a||b| in float64 if m*n*k <= full_limit (0:
 * the default, 1024^3), else the vectors of Freivalds' check and sampled rows and columns. The
 * result does not depend on `threads`. `math` is as in the front matter ("tf32": inputs are
 * rounded to it first); null: the precision of the type. */
enum gradus_status gr_reference_make(const struct gr_problem *problem, const void *a, const void *b,
                                     const char *math, uint64_t seed, int64_t full_limit,
                                     int threads, struct gr_reference **reference,
                                     struct gradus_error *error);
/* The same for the same matrices stored with other leading dimensions, without computing it
 * again. Free it before `from`. */
enum gradus_status gr_reference_with_ld(const struct gr_reference *from,
                                        const struct gr_problem *problem, const void *a,
                                        const void *b, struct gr_reference **reference,
                                        struct gradus_error *error);
void gr_reference_free(struct gr_reference *reference);

/* A copy for the same A and B. Null: memory is out. */
struct gr_reference *gr_reference_copy(const struct gr_reference *reference);

/* The reference of the same A and B as they are now, computed again. */
enum gradus_status gr_reference_again(const struct gr_reference *from,
                                      struct gr_reference **reference, struct gradus_error *error);

/* How many calls of gr_reference_change take about as long as computing the reference again. */
double gr_reference_worth_changes(const struct gr_reference *reference);

/* Updates the reference after one element of A or B ('A', 'B'), at that row and column of the
 * stored matrix, has changed from `old` to the value now in memory. O(k (m + n)). Both values
 * and all elements of the other operand must be finite. */
void gr_reference_change(struct gr_reference *reference, char operand, int64_t row, int64_t col,
                         double old);

struct gr_check {
    bool right;
    struct gr_worst worst;
    int64_t wrong_count; /* elements beyond the bound among those that were compared */
    /* "full float64 reference", or "Freivalds x24 + 28 rows, 20 columns in full; sees an error
     * of 0.006 in any one element (C is about 18)". */
    char checked_by[160];
    double sees; /* any single error of at least this size would have been detected */
};

/* Compares c (with the leading dimension of the reference's problem) with alpha op(A)op(B) +
 * beta c0. c0 has the same leading dimension and may be null if beta is 0. `untouched` (may be
 * null) is what C held before the run. Diagnoses are added to `findings`, the most specific
 * first: GR_FIND_WRONG_ELEMENT, NAN, ZEROS, TRANSPOSED, and UNWRITTEN if elements are bit for
 * bit equal to `untouched`. A NaN passes only if the reference is NaN, and Inf likewise.
 * `exact`: sums of integers that the type represents exactly must be equal (integer fill). */
enum gradus_status gr_check_result(const struct gr_reference *reference, double alpha, double beta,
                                   const void *c0, const void *c, const void *untouched, bool exact,
                                   struct gr_check *check, struct gr_findings *findings,
                                   struct gradus_error *error);

/* Checks a single element (row, col) of C = A B by the same rule. O(k), without a reference. */
bool gr_check_element(const struct gr_problem *problem, const char *math, const void *a,
                      const void *b, const void *c, int64_t row, int64_t col);

#endif
