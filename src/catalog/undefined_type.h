/* undefined_type.h: types that nothing defines. SPDX-License-Identifier: MIT */
#ifndef CATALOG_UNDEFINED_TYPE_H
#define CATALOG_UNDEFINED_TYPE_H

#include "records/kernel.h"

/* The name to which a parameter's type resolves and that neither the kernel's file nor the headers
 * that it includes with quotes define, such as a macro that the project's build sets; malloc'ed.
 * Null: it is defined there, or may be a type of the toolkit's own headers. */
char *gr_undefined_type(const struct gr_kernel *kernel, const char *type);

#endif
