/* product.h: float64 products of views, quick enough to check with. SPDX-License-Identifier: MIT */
#ifndef CHECK_PRODUCT_H
#define CHECK_PRODUCT_H

#include "check/view.h"

/* out[i * y.lines + j] += the dot product of line i of x and line j of y (of absolute values when
 * `absolute`). The result does not depend on `threads`. False: out of memory. */
bool gr_product(const struct gr_view *x, const struct gr_view *y, bool absolute, int threads,
                double *out);

/* How many vectors Freivalds' check uses at once. */
enum { GR_VECTORS = 24 };

/* A view times a tall matrix of GR_VECTORS columns: out[line][v] = sum over p of view(line, p)
 * in[p][v]. `out` need not be cleared. */
void gr_apply(const struct gr_view *view, const double (*in)[GR_VECTORS], int threads,
              double (*out)[GR_VECTORS]);

#endif
