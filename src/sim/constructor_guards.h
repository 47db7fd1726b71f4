/* constructor_guards.h: shared variables of classes that have constructors.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_CONSTRUCTOR_GUARDS_H
#define SIM_CONSTRUCTOR_GUARDS_H

#include "base/str.h"

/* Appends the assembly `text` to `out`, each guard of a thread-local variable set: no constructor
 * of a shared variable runs, as none does in CUDA, where only empty ones are allowed. */
void gr_constructor_guards_set(const char *text, struct gr_str *out);

#endif
