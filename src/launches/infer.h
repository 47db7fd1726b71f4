/* infer.h: front matter for a file that has none. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_INFER_H
#define LAUNCHES_INFER_H

#include "base/str.h"

#include <gradus/gradus.h>

/* Front matter for a file that has none, as `//@` lines: what can be read off its signatures,
 * macros, __shared__ arrays and <<<grid, block>>>. Written by `gradus init`. */
enum gradus_status gr_kernel_infer(const char *path, const char *text, struct gr_str *out,
                                   struct gradus_error *error);

#endif
