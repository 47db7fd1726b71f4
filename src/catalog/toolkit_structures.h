/* toolkit_structures.h: structures of CUDA's own headers that kernels are given.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_TOOLKIT_STRUCTURES_H
#define CATALOG_TOOLKIT_STRUCTURES_H

#include "base/str.h"

/* Appends the definition of a cudaPitchedPtr if the text uses one, as a pointer and its pitch in
 * bytes. The pointer is to the type that the text casts to, since it is a `void *`. */
void gr_toolkit_structures(const char *text, struct gr_str *out);

#endif
