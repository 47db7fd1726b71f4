/* product.h: float64 products of views, quick enough to check with. SPDX-License-Identifier: MIT */
#ifndef CHECK_PRODUCT_H
#define CHECK_PRODUCT_H

#include "check/view.h"

/* out[i * y.lines + j] += the dot product of line i of x and line j of y (of absolute values when
 * `absolute`). The result does not depend on `threads`. False: out of memory. */
bool gr_product(const struct gr_view *x, const struct gr_view *y, bool absolute, int threads,
                double *out);

/* How many random vectors Freivalds' check uses at once, and one number for each of them. */
enum { GR_VECTORS = 24 };
typedef double gr_bundle[GR_VECTORS];

/* A view times all vectors: out[line][v] = sum over p of view(line, p) in[p][v]. `out` need not be
 * cleared. */
void gr_apply(const struct gr_view *view, gr_bundle *in, int threads, gr_bundle *out);

#endif
