/* devices_dispatch.h: implements gradus devices --dispatch: which micro-kernel and path a product
 * would use, and why. SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICES_DISPATCH_H
#define CLI_DEVICES_DISPATCH_H

#include "cli/verb.h"

/* Reads --dispatch, --dtype, --trans, --threads and --format, prints, and returns the verb's exit
 * status. */
enum gr_exit gr_devices_dispatch(const struct gr_args *args);

#endif
