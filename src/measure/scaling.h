/* scaling.h: are alpha and beta applied, whatever they are? SPDX-License-Identifier: MIT */
#ifndef MEASURE_SCALING_H
#define MEASURE_SCALING_H

#include "measure/search.h"

/* Each pair of gr_scale_pairs: at the size asked for where that is little work, else at a small
 * size of whole tiles and a ragged one. The row becomes wrong where a product is that is right
 * there with the first pair. */
enum gradus_status gr_verify_scaling(struct gr_search *search, struct gradus_error *error);

#endif
