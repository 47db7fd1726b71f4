/* devices_cache.h: implements gradus devices --cache, which lists and clears the cache of compiled
 * kernels. SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICES_CACHE_H
#define CLI_DEVICES_CACHE_H

#include "cli/verb.h"

/* Reads --cache, --clear and --format, prints, and returns the verb's exit status. */
enum gr_exit gr_devices_cache(const struct gr_args *args);

#endif
