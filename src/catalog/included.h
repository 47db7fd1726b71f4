/* included.h: kernels that stand in the files which a file includes. SPDX-License-Identifier: MIT
 */
#ifndef CATALOG_INCLUDED_H
#define CATALOG_INCLUDED_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* When the kernel that the only stanza means is not in the file, looks for it in the files that are
 * included with quotes, and in those that they include. The kernel's path and source are then those
 * of the file that holds it, so that messages point there; `before` and `includer` are filled.
 * INVALID when several hold one; what none holds is left for gr_kernel_choose to tell. */
enum gradus_status gr_included_enter(struct gr_kernel *kernel, struct gradus_error *error);

#endif
