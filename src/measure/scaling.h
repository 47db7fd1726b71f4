/* scaling.h: checks whether a kernel applies alpha and beta correctly for all their values,
 * since many kernels treat 0 and 1 as special cases. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SCALING_H
#define MEASURE_SCALING_H

#include "measure/search.h"

/* Runs a GEMM with each pair of gr_scale_pairs: at the requested size if that is quick, else at
 * a small size of whole tiles and one with partial tiles. The row becomes wrong if one fails at
 * a size at which the first pair is correct. */
enum gradus_status gr_verify_scaling(struct gr_search *search, struct gradus_error *error);

#endif
