/* constants.h: the values of a file's constant expressions. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CONSTANTS_H
#define CATALOG_CONSTANTS_H

#include "source/scan.h"

#include <stdint.h>

/* The value of the tokens, an expression of integers and of the file's macros, constants and
 * enumerators. False: it is something else. */
bool gr_constant_value(const struct gr_scan *scan, struct gr_range tokens, int64_t *value);
/* The value of the macro or constant of this name. False: there is none, or it is not a number. */
bool gr_constant_named(const struct gr_scan *scan, const char *name, int64_t *value);

#endif
