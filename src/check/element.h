/* element.h: the values of the element types: reading, rounding and storing them.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_ELEMENT_H
#define CHECK_ELEMENT_H

#include "core/dtype.h"

#include <stdint.h>

/* x rounded to the nearest value of a type, ties to even. Beyond the type's range: infinity, or the
 * largest value where the type has no infinity (e4m3, integers). NaN stays NaN (0 for integers). */
double gr_round_to(enum gr_dtype type, double x);

/* Stores gr_round_to(type, x) as element i. */
void gr_element_put(enum gr_dtype type, void *elements, int64_t i, double x);

/* Significant bits (24 for f32); the largest finite value; the largest result that may be lost to
 * underflow: the smallest normal number of f32 and f64, which fast-math kernels flush to zero, the
 * smallest subnormal one of the narrower types, which no hardware flushes. 0 for integers. */
int gr_dtype_digits(enum gr_dtype type);
double gr_dtype_max(enum gr_dtype type);
double gr_dtype_lost(enum gr_dtype type);

#endif
