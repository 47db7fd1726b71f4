/* branches.h: finds the two values that an `if` and its `else` give a variable.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_BRANCHES_H
#define SOURCE_BRANCHES_H

#include "source/scan.h"

struct gr_branches {
    struct gr_range condition, one, other; /* `other` is the value if the condition is false */
};

/* The last `if (condition) name = one; else name = other;` before token `at` of the function that
 * `at` is in, with or without braces. False: there is none, or a later assignment. */
bool gr_branches_find(const struct gr_scan *scan, const char *name, int at,
                      struct gr_branches *branches);

#endif
