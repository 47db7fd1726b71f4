/* devices_cache.h: gradus devices --cache: what compiled kernels are kept, and letting go of them.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICES_CACHE_H
#define CLI_DEVICES_CACHE_H

#include "cli/verb.h"

/* Reads --cache, --clear and --format, acts, prints, and returns the verb's exit status. */
enum gr_exit gr_devices_cache(const struct gr_args *args);

#endif
