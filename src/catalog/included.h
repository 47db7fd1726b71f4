/* included.h: finds kernels in the files that a kernel file includes, because in many projects
 * the given file only includes the header with the kernel. SPDX-License-Identifier: MIT */
#ifndef CATALOG_INCLUDED_H
#define CATALOG_INCLUDED_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* If the kernel of the only stanza is not in the file, searches the files that are included with
 * quotes, and those that they include. The kernel's path and source become those of the file
 * that contains it, so that messages point there, and `before` and `includer` are set. INVALID
 * if several files contain it. If none does, nothing changes, and gr_kernel_choose reports it. */
enum gradus_status gr_included_enter(struct gr_kernel *kernel, struct gradus_error *error);
/* Calls `take` with each included file that has kernels, in the order in which they are included.
 */
enum gradus_status gr_included_each(const struct gr_kernel *kernel,
                                    void (*take)(void *context, const char *path, const char *text),
                                    void *context, struct gradus_error *error);

#endif
