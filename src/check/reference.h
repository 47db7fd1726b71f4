/* reference.h: the content of a float64 reference. SPDX-License-Identifier: MIT */
#ifndef CHECK_REFERENCE_H
#define CHECK_REFERENCE_H

#include "check/check.h"
#include "check/product.h"
#include "check/view.h"

/* Some complete lines (rows or columns) of C: item l is line index[l], with the elements
 * product[l * length + i]. */
struct gr_lines {
    int64_t count, length;
    int64_t *index;
    double *product, *absolute;
};

/* Computes the lines of X Y^T that `index` lists. Takes ownership of `index`, also on failure.
 * False: memory is out. */
bool gr_lines_make(const struct gr_view *x, const struct gr_view *y, int64_t *index, int64_t count,
                   int threads, struct gr_lines *lines);
void gr_lines_free(struct gr_lines *lines);

struct gr_reference {
    struct gr_problem problem;
    struct gr_view x, y; /* rows of op(A), columns of op(B) */
    uint64_t seed;
    int threads;
    bool relaid; /* the following members belong to another reference */

    bool full;
    double *product, *absolute; /* full: op(A)op(B) and |op(A)||op(B)|, m x n; null if sampled */

    struct gr_lines rows, cols; /* sampled */
    bool by_cols;      /* Freivalds' check goes over columns of C, because they are shorter */
    gr_bundle *signs;  /* a random +1 or -1 for each position in a line */
    gr_bundle *middle; /* the other operand times `signs` */
    gr_bundle *image;  /* the lines of the reference product times `signs` */
    /* The largest Euclidean norms of lines, which bound |op(A)||op(B)|. */
    double largest_x, largest_y;
    bool *odd_rows, *odd_cols; /* which lines of X and Y contain NaN or Inf */
};

/* Sets the precision that the inputs are rounded to: "tf32" or the like, or null. INVALID:
 * unknown name. */
enum gradus_status gr_reference_set_math(struct gr_reference *reference, const char *math,
                                         struct gradus_error *error);

/* C (or C0) as Freivalds' check reads it: by rows or by columns. */
struct gr_view gr_screen_view(const struct gr_reference *reference, const void *c);

#endif
