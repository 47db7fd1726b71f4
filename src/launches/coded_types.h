/* coded_types.h: the types of a kernel's parameters, from its symbol or from what they are passed.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_CODED_TYPES_H
#define LAUNCHES_CODED_TYPES_H

#include "base/str.h"
#include "code/code.h"
#include "code/demangle.h"

/* Writes the list of parameters, "const float *A, int p2". Where the symbol does not say a type,
 * it is one of the parameter's size that suits the expression of `args` at its place; `extra` has
 * the lines by which names are arrays. True if the element types of all pointers are known. */
bool gr_coded_types(const struct gr_code_kernel *kernel, const struct gr_demangled *names,
                    const char *args, const char *extra, struct gr_str *out);

#endif
