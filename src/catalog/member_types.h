/* member_types.h: parameters of kernels whose type is a member of a class, as `Bench::T *A`.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_MEMBER_TYPES_H
#define CATALOG_MEMBER_TYPES_H

#include "catalog/rewriting.h"

/* Writes the number that such a type is in its place, for the parameters of the kernel. */
void gr_member_types_resolve(struct gr_rewriting *r, const struct gr_function *kernel);
/* Has a kernel a parameter of such a type whose class the text does not define? */
bool gr_member_types_unknown(const struct gr_rewriting *r);

#endif
