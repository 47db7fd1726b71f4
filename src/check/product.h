/* product.h: float64 products of views. They are blocked, because a naive reference would take
 * longer than everything else. SPDX-License-Identifier: MIT */
#ifndef CHECK_PRODUCT_H
#define CHECK_PRODUCT_H

#include "check/view.h"

/* out[i * y.lines + j] += the dot product of line i of x and line j of y, or of their absolute
 * values if `absolute`. The result does not depend on `threads`. False: memory is out. */
bool gr_product(const struct gr_view *x, const struct gr_view *y, bool absolute, int threads,
                double *out);

/* The number of random vectors that Freivalds' check uses at once. A bundle has one number for
 * each of them. */
enum { GR_VECTORS = 24 };
typedef double gr_bundle[GR_VECTORS];

/* Multiplies a view by all vectors: out[line][v] = sum over p of view(line, p) in[p][v]. `out`
 * need not be zeroed. */
void gr_apply(const struct gr_view *view, gr_bundle *in, int threads, gr_bundle *out);

#endif
