/* smallest.h: finds the smallest case at which a wrong kernel fails.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SMALLEST_H
#define MEASURE_SMALLEST_H

#include "measure/search.h"

/* For a row that is wrong with this alpha and beta: adds a finding `case` with the smallest of a
 * few shapes that also fails. */
enum gradus_status gr_smallest_case(struct gr_search *search, struct gr_scales scales,
                                    struct gradus_error *error);

#endif
