/* chosen.h: which of a file's functions is the kernel. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CHOSEN_H
#define CATALOG_CHOSEN_H

#include "base/str.h"
#include "source/scan.h"
#include "records/kernel.h"

/* The function that the stanza names ("k", "space::k", "k<16>"), or the file's only kernel, as an
 * index into scan->functions. INVALID for none and for several. */
enum gradus_status gr_kernel_choose(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                    const struct gr_scan *scan, int *function,
                                    struct gradus_error *error);
/* Is what the stanza names among the file's functions; or, when it names none, has the file any
 * kernel? */
bool gr_kernel_is_there(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                        const struct gr_scan *scan);
/* Appends the names of those in `text`, separated by commas; returns how many. */
int gr_kernel_names(const struct gr_kernel *kernel, const char *text, struct gr_str *names);

#endif
