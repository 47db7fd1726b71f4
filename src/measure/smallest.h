/* smallest.h: the smallest case at which a wrong kernel is wrong. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SMALLEST_H
#define MEASURE_SMALLEST_H

#include "measure/search.h"

/* Of a row that is wrong with these alpha and beta: adds the finding `case`, with the smallest of a
 * few shapes that is wrong as well. */
enum gradus_status gr_smallest_case(struct gr_search *search, struct gr_scales scales,
                                    struct gradus_error *error);

#endif
