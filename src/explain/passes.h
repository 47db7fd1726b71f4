/* passes.h: a lower bound of the passes over the banks of shared memory that a site's requests
 * need. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PASSES_H
#define EXPLAIN_PASSES_H

#include "records/trace.h"

/* The bound, at most the site's wavefronts. Wavefronts are counted for groups of lanes (a
 * quarter of a warp for 16-byte accesses). Groups without conflicts that access the same words,
 * or words of different banks, may share a pass, for example if all lanes read one address.
 * On AMD's GPUs no groups share a pass, as far as is documented. Computed from the site's pattern;
 * 0 if it is not in shared memory. */
double gr_passes_least(const struct gr_trace_site *site, int warp);

#endif
