/* reference.h: what a float64 reference holds. SPDX-License-Identifier: MIT */
#ifndef CHECK_REFERENCE_H
#define CHECK_REFERENCE_H

#include "check/check.h"
#include "check/product.h"
#include "check/view.h"

/* Some lines of C (rows, or columns) in full: item l is line index[l], whose elements are
 * product[l * length + i]. */
struct gr_lines {
    int64_t count, length;
    int64_t *index;
    double *product, *absolute;
};

/* Computes the lines of X Y^T that `index` (taken over, freed also on failure) names. False: out of
 * memory. */
bool gr_lines_make(const struct gr_view *x, const struct gr_view *y, int64_t *index, int64_t count,
                   int threads, struct gr_lines *lines);
void gr_lines_free(struct gr_lines *lines);

struct gr_reference {
    struct gr_problem problem;
    struct gr_view x, y; /* op(A) by rows, op(B) by columns */
    uint64_t seed;
    int threads;
    bool relaid; /* what follows belongs to another */

    bool full;
    double *product, *absolute; /* full: op(A)op(B) and |op(A)||op(B)|, m x n */

    struct gr_lines rows, cols;  /* sampled */
    bool by_cols;                /* the screen looks at columns of C, since they are shorter */
    gr_bundle *signs;            /* one of +-1 for each position in a line */
    gr_bundle *middle;           /* the operand across, times `signs` */
    gr_bundle *image;            /* the right product's lines times `signs` */
    double largest_x, largest_y; /* the greatest Euclidean norms of lines: bound |op(A)||op(B)| */
    bool *odd_rows, *odd_cols;   /* lines of X and Y that hold NaN or Inf */
};

/* "tf32" and its like, or null: the precision that the inputs are rounded to. INVALID: none. */
enum gradus_status gr_reference_set_math(struct gr_reference *reference, const char *math,
                                         struct gradus_error *error);

/* C (or C0) as the screen sees it: its rows, or its columns. */
struct gr_view gr_screen_view(const struct gr_reference *reference, const void *c);

#endif
