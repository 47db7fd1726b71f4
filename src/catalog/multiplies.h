/* multiplies.h: tells from a function's code whether it may compute sums of products.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_MULTIPLIES_H
#define CATALOG_MULTIPLIES_H

#include "source/scan.h"

/* May the function, with those of the file that it calls, add up products? A call of something that
 * the file does not define, and that is not one of CUDA's functions without products, may do so. */
bool gr_function_multiplies(const struct gr_scan *scan, const struct gr_function *function);

#endif
