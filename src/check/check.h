/* check.h: is C right? A float64 reference, error bounds, and what a wrong C looks like.
 * The rules are those of docs/verifying.md. SPDX-License-Identifier: MIT */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "records/problem.h"
#include "records/row.h"

/* How matrices are filled. X(enumerator, name). */
#define GR_FILL_LIST(X)                                                                            \
    X(GR_FILL_UNIFORM, "uniform") /* [-1, 1) */                                                    \
    X(GR_FILL_NORMAL, "normal")                                                                    \
    X(GR_FILL_INTEGER, "integer")   /* integers, |x| <= 8: sums are exact, compared bit for bit */ \
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

/* Fills rows x cols at leading dimension ld. The elements between cols and ld are not touched. The
 * same (fill, seed) gives the same values whatever ld is. Seeds of A, B and C0 must differ. */
void gr_fill_matrix(enum gr_fill fill, uint64_t seed, enum gr_dtype type, int64_t rows,
                    int64_t cols, int64_t ld, void *elements);

/* Element i of an array of `type` as a double. */
double gr_element(enum gr_dtype type, const void *elements, int64_t i);

/* The reference for one pair A, B: everything about op(A) op(B) that checks of many C's need. It
 * keeps A and B by reference: they must stay as they are until gr_reference_free. */
struct gr_reference;

/* Prepares: the full product and sum|a||b| in float64 when m*n*k <= full_limit (0: the default,
 * 1024^3), else Freivalds' vectors and sampled rows and columns. `threads` may speed it up; the
 * result does not depend on it. `math` as in front matter ("tf32": inputs are rounded first); null:
 * the type's own. */
enum gradus_status gr_reference_make(const struct gr_problem *problem, const void *a, const void *b,
                                     const char *math, uint64_t seed, int64_t full_limit,
                                     int threads, struct gr_reference **reference,
                                     struct gradus_error *error);
/* The same for the same matrices with other leading dimensions: nothing is computed again. It is
 * freed before `from`. */
enum gradus_status gr_reference_relay(const struct gr_reference *from,
                                      const struct gr_problem *problem, const void *a,
                                      const void *b, struct gr_reference **reference,
                                      struct gradus_error *error);
void gr_reference_free(struct gr_reference *reference);

/* Of the same A and B. Null: out of memory. */
struct gr_reference *gr_reference_copy(const struct gr_reference *reference);

/* One element of A or B ('A', 'B'), at that row and column of the stored matrix, was `old` and is
 * another now, in the memory that the reference was made of. O(k (m + n)). Both are finite, and so
 * are the other operand's elements. */
void gr_reference_change(struct gr_reference *reference, char operand, int64_t row, int64_t col,
                         double old);

struct gr_check {
    bool right;
    struct gr_worst worst;
    int64_t wrong_count;  /* elements beyond the limit among those compared one by one */
    char checked_by[160]; /* "full float64 reference", or "Freivalds x24 + 28 rows, 20 columns in
                             full; sees an error of 0.006 in any one element (C is about 18)" */
    double sees; /* an error this large in one element would have been seen, wherever it was */
};

/* Compares c (leading dimension problem->ldc of the reference) with alpha op(A)op(B) + beta c0. c0
 * has the same leading dimension, may be null when beta is 0. Diagnoses go to `findings`
 * (GR_FIND_WRONG_ELEMENT, NAN, ZEROS, TRANSPOSED, UNWRITTEN when `untouched` (what C held before
 * the run) is given and elements equal it bit for bit), most telling first. A NaN never passes,
 * except where the reference is NaN; Inf likewise. `exact`: sums of integers that the type
 * holds exactly are compared exactly (integer fill). */
enum gradus_status gr_check_result(const struct gr_reference *reference, double alpha, double beta,
                                   const void *c0, const void *c, const void *untouched, bool exact,
                                   struct gr_check *check, struct gr_findings *findings,
                                   struct gradus_error *error);

/* Element (row, col) of C = A B, alone: right by the same rule? O(k), without a reference. */
bool gr_check_element(const struct gr_problem *problem, const char *math, const void *a,
                      const void *b, const void *c, int64_t row, int64_t col);

#endif
