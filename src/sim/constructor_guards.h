/* constructor_guards.h: keeps the constructors of shared variables from running.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_CONSTRUCTOR_GUARDS_H
#define SIM_CONSTRUCTOR_GUARDS_H

#include "base/str.h"

/* Appends the assembly `text` to `out`, with the guard of every thread-local variable set, so that
 * the variable counts as constructed. In CUDA the constructor of a shared variable must be empty,
 * and none runs. */
void gr_constructor_guards_set(const char *text, struct gr_str *out);

#endif
