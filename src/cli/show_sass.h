/* show_sass.h: shows the machine code of a rung's FFMAs. SPDX-License-Identifier: MIT */
#ifndef CLI_SHOW_SASS_H
#define CLI_SHOW_SASS_H

#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/verb.h"

/* Loads the rungs of the GPU, whatever --device is. */
enum gradus_status gr_show_sass_catalog(const struct gr_args *args, struct gr_catalog *catalog,
                                        struct gradus_error *error);

/* Lists blocks of straight code with many FFMAs, with the cycles that each FFMA is expected to wait
 * for the register banks; reordered if --reorder-ffma is given. UNSUPPORTED: NVRTC was not
 * found. */
enum gradus_status gr_show_sass(const struct gr_args *args, const struct gr_kernel *kernel,
                                struct gr_str *out, struct gradus_error *error);

#endif
