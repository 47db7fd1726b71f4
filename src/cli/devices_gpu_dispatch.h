/* devices_gpu_dispatch.h: implements gradus devices --dispatch with --device cuda or --gpu: which
 * GPU kernel of the library a product would use, and why. SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICES_GPU_DISPATCH_H
#define CLI_DEVICES_GPU_DISPATCH_H

#include "cli/verb.h"

/* Do the options choose a GPU? */
bool gr_devices_names_gpu(const struct gr_args *args);
/* Reads --dispatch, --device, --gpu, --dtype, --trans, --math and --format, prints, and returns the
 * verb's exit status. */
enum gr_exit gr_devices_gpu_dispatch(const struct gr_args *args);

#endif
