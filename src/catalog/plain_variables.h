/* plain_variables.h: variables of the device as parameters of a kernel.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_VARIABLES_H
#define CATALOG_PLAIN_VARIABLES_H

#include "catalog/plain_kernel.h"

/* Does the kernel have the operand or size as another parameter, so that the variable of this name
 * is something else? */
bool gr_plain_variable_has_other(const struct gr_rewriting *r, const struct gr_plain_kernel *kernel,
                                 const struct gr_device_variable *variable);
/* Makes the variable a parameter of the file's own function, whose parameters are appended to
 * `own`, and of the added kernel. An array of several extents is a pointer to rows there. */
void gr_plain_variable_add(struct gr_rewriting *r, const struct gr_device_variable *variable,
                           struct gr_plain_kernel *kernel, struct gr_str *own);
/* Records an array whose extents are known, and that became the last parameter of the kernel. */
void gr_plain_variable_note(struct gr_rewriting *r, const struct gr_function *f,
                            const struct gr_device_variable *variable,
                            const struct gr_plain_kernel *kernel);

#endif
