/* missing_headers.h: names the headers that a file includes and that are not on this machine, where
 * it does not compile. SPDX-License-Identifier: MIT */
#ifndef EMIT_MISSING_HEADERS_H
#define EMIT_MISSING_HEADERS_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* Adds to the error of a CUDA kernel that does not compile which headers its file includes that
 * neither its project, the folders of `flags` (null: none) nor this machine has, as those of
 * CUTLASS. Headers of the toolkit and of C++ are not among them. */
void gr_missing_headers_tell(const struct gr_kernel *kernel, const char *flags,
                             struct gradus_error *error);

#endif
