/* declared.h: names that a file declares other than by #define and typedef: variables, members,
 * parameters, enumerators. A macro of such a name would break the declaration.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_DECLARED_H
#define SOURCE_DECLARED_H

#include "source/scan.h"

enum gr_declared {
    GR_DECLARED_NOWHERE,
    /* As a member, or as a parameter of a function or template: elsewhere the name is free. */
    GR_DECLARED_INSIDE,
    /* At file scope, or in a kernel's body: the kernel sees this and no other. */
    GR_DECLARED_OUTSIDE
};

/* *at: the token, the first that is OUTSIDE if there is one. */
enum gr_declared gr_declared_find(const struct gr_scan *scan, const char *name, int *at);
/* Does a condition of the preprocessor (`#if`, `#elif`) name it? */
bool gr_condition_names(const struct gr_scan *scan, const char *name);

#endif
