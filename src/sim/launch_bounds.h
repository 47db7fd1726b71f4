/* launch_bounds.h: makes a kernel check its own __launch_bounds__ when it is launched.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_LAUNCH_BOUNDS_H
#define SIM_LAUNCH_BOUNDS_H

#include "base/str.h"

/* Appends the source. Each kernel that has `__launch_bounds__(…)`, in its definition, in a
 * declaration before it or through a macro, gets a call of gr_launch_bounds with the same arguments
 * at the beginning of its body, where all names in them are declared. No line moves. */
void gr_launch_bounds_mark(const char *text, struct gr_str *out);

#endif
