/* show_sass.h: the machine code of a rung's FFMAs. SPDX-License-Identifier: MIT */
#ifndef CLI_SHOW_SASS_H
#define CLI_SHOW_SASS_H

#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/verb.h"

/* The GPU's rungs, whatever --device says. */
enum gradus_status gr_show_sass_catalog(const struct gr_args *args, struct gr_catalog *catalog,
                                        struct gradus_error *error);

/* Lists straight code with many FFMAs, with the cycles that each is expected to wait for the
 * banks of registers; reordered, if --reorder-ffma says so. UNSUPPORTED: no NVRTC was found. */
enum gradus_status gr_show_sass(const struct gr_args *args, const struct gr_kernel *kernel,
                                struct gr_str *out, struct gradus_error *error);

#endif
