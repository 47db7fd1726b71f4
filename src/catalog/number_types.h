/* number_types.h: types of numbers that a header defines, in the parameters of kernels.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_NUMBER_TYPES_H
#define CATALOG_NUMBER_TYPES_H

#include "catalog/rewriting.h"

/* The number's type that the scan defines `type` as, by a typedef or a macro; malloc'ed. Null: it
 * is a number's own type, or something else. */
char *gr_number_type(const struct gr_scan *scan, const char *type);
/* Has a kernel a parameter of a type that is none of the file's structures? */
bool gr_number_types_unknown(const struct gr_rewriting *r);
/* A type that a header defines as a number's, as `typedef float real;`, becomes that number in the
 * kernel's parameters, since roles and types are read in the kernel's file alone. */
void gr_number_types_resolve(struct gr_rewriting *r, const struct gr_function *f);

#endif
