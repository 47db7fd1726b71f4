/* chosen.h: which of a file's functions is the kernel. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CHOSEN_H
#define CATALOG_CHOSEN_H

#include "catalog/scan.h"
#include "core/kernel.h"

/* The function that the stanza names ("k", "space::k", "k<16>"), or the file's only kernel, as an
 * index into scan->functions. INVALID for none and for several. */
enum gradus_status gr_kernel_choose(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                    const struct gr_scan *scan, int *function,
                                    struct gradus_error *error);

#endif
