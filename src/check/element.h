/* element.h: reads, rounds and stores the values of the element types. The conversions are done
 * in software, because the host compiler does not have all of the types.
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_ELEMENT_H
#define CHECK_ELEMENT_H

#include "core/dtype.h"

#include <stdint.h>

/* x rounded to the nearest value of a type, ties to even. Beyond the range of the type:
 * infinity, or the largest value if the type has no infinity (e4m3, integers). NaN stays NaN (0
 * for integers). */
double gr_round_to(enum gr_dtype type, double x);

/* Stores gr_round_to(type, x) as element i. */
void gr_element_put(enum gr_dtype type, void *elements, int64_t i, double x);

/* The significant bits of a type (24 for f32), its largest finite value, and the largest result
 * that may be lost to underflow. The last is the smallest normal number for f32 and f64, which
 * fast-math kernels flush to zero, and the smallest subnormal number for the narrower types,
 * which no hardware flushes. 0 for integers. */
int gr_dtype_digits(enum gr_dtype type);
double gr_dtype_max(enum gr_dtype type);
double gr_dtype_lost(enum gr_dtype type);

#endif
