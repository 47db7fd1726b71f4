/* launch_bounds.h: a kernel that says what it may be launched with holds its launch to that.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_LAUNCH_BOUNDS_H
#define SIM_LAUNCH_BOUNDS_H

#include "base/str.h"

/* Appends the source, each kernel that has `__launch_bounds__(…)`, itself, by a declaration before
 * it or by a macro, with a call of gr_launch_bounds at the head of its body: there the compiler
 * knows all the names that stand in it. Lines stay where they are. */
void gr_launch_bounds_mark(const char *text, struct gr_str *out);

#endif
