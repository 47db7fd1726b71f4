/* passes.h: the passes over the banks of shared memory that a site's requests take at least.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PASSES_H
#define EXPLAIN_PASSES_H

#include "records/trace.h"

/* Not more than the site's wavefronts. Wavefronts are counted by groups of lanes, a quarter of a
 * warp where an access has 16 bytes; groups without conflicts that want the same words, or words of
 * different banks, may share a pass, as where all lanes read one address. By the site's pattern; 0
 * where it is not of shared memory. */
double gr_passes_least(const struct gr_trace_site *site, int warp);

#endif
