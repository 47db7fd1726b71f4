/* unroll.h: marks the loops of a kernel that the host's compiler shall unroll, as a GPU's compiler
 * does. SPDX-License-Identifier: MIT */
#ifndef SIM_UNROLL_H
#define SIM_UNROLL_H

#include "base/str.h"

/* Replaces the word `for` of a marked loop. It has the same length, so that columns do not change;
 * a flag of the compiler defines it (host_flags.h). */
#define GR_SIM_LOOP "_4R"

/* Appends the C++ source `text` to `out`, with GR_SIM_LOOP in place of `for` wherever the loop has
 * a condition and no `#pragma unroll 1` precedes it. */
void gr_sim_unroll_mark(const char *text, struct gr_str *out);

#endif
