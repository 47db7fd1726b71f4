/* view.h: reads a stored matrix as lines of float64 numbers, whatever its type, order and
 * leading dimension are.
 *
 * The reference computes C = X Y^T: C[i,j] is the dot product of line i of X = op(A) and line j
 * of Y, whose lines are the columns of op(B). Rows and columns of C are then treated alike, by
 * exchanging X and Y. SPDX-License-Identifier: MIT */
#ifndef CHECK_VIEW_H
#define CHECK_VIEW_H

#include "records/problem.h"

struct gr_view {
    enum gr_dtype type;
    enum gr_dtype rounded; /* values are rounded to this type first; equal to `type`: no rounding */
    const void *elements;
    int64_t lines, length;
    int64_t line_step, step; /* in elements; one of them is 1 */
};

/* For operand 'A' the rows of op(A), for 'B' the columns of op(B), for 'C' the rows of C. */
struct gr_view gr_view_of(const struct gr_problem *problem, char operand, const void *elements);
/* A view of `lines` dense lines of float64. */
struct gr_view gr_view_dense(const double *elements, int64_t lines, int64_t length);
/* The transposed view: the elements at one position of all lines become a line. */
struct gr_view gr_view_transposed(struct gr_view view);

/* Reads the elements [from, from+count) of a line. */
void gr_view_read(const struct gr_view *view, int64_t line, int64_t from, int64_t count,
                  double *out);
double gr_view_at(const struct gr_view *view, int64_t line, int64_t position);

/* The dot product of line i of x and line j of y, and that of their absolute values. */
void gr_view_dot(const struct gr_view *x, int64_t i, const struct gr_view *y, int64_t j,
                 double *product, double *absolute);

#endif
