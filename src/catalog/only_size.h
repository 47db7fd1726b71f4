/* only_size.h: C kernels that are told one size. SPDX-License-Identifier: MIT */
#ifndef CATALOG_ONLY_SIZE_H
#define CATALOG_ONLY_SIZE_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* Sets kernel->only_size, once its signatures have roles. */
enum gradus_status gr_only_size_note(struct gr_kernel *kernel, struct gradus_error *error);

#endif
