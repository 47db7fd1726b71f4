/* unroll.h: a kernel's loops, marked for the host's compiler. SPDX-License-Identifier: MIT */
#ifndef SIM_UNROLL_H
#define SIM_UNROLL_H

#include "base/str.h"

/* What stands for the word `for` of a marked loop: of the same length, so that columns stay. The
 * compiler is told what it means. */
#define GR_SIM_LOOP "_4R"

/* Appends `text`, C++, to `out`, with GR_SIM_LOOP in the place of `for` wherever the loop has a
 * condition and no
 * `#pragma unroll 1` before it. */
void gr_sim_unroll_mark(const char *text, struct gr_str *out);

#endif
