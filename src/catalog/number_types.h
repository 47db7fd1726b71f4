/* number_types.h: types of numbers that a header defines, in the parameters of kernels.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_NUMBER_TYPES_H
#define CATALOG_NUMBER_TYPES_H

#include "catalog/rewriting.h"

/* The arithmetic type as which the scan defines `type`, by a typedef or a macro; malloc'ed. Null:
 * it is a built-in arithmetic type, or something else. */
char *gr_number_type(const struct gr_scan *scan, const char *type);
/* Does a kernel have a parameter of a type that is not one of the file's structures? */
bool gr_number_types_unknown(const struct gr_rewriting *r);
/* In the kernel's parameters, replaces a type that a header defines as an arithmetic type, as by
 * `typedef float real;`, since roles and types are read only in the kernel's file. */
void gr_number_types_resolve(struct gr_rewriting *r, const struct gr_function *f);

#endif
