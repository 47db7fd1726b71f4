/* only_size.h: C kernels with a single size parameter. SPDX-License-Identifier: MIT */
#ifndef CATALOG_ONLY_SIZE_H
#define CATALOG_ONLY_SIZE_H

#include "records/kernel.h"
#include "source/scan.h"

#include <gradus/gradus.h>

/* Sets kernel->only_size and the members about fixed sizes, once its signatures have roles. */
enum gradus_status gr_only_size_note(struct gr_kernel *kernel, const struct gr_scan *scan,
                                     struct gradus_error *error);

#endif
