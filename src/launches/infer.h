/* infer.h: proposes front matter for a file without it, for `gradus init`.
 * SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_INFER_H
#define LAUNCHES_INFER_H

#include "base/str.h"

#include <gradus/gradus.h>

/* What is written of a launch that is in another file. */
#define GR_INFERRED_ELSEWHERE "and not tried yet:"

/* Derives `//@` lines from the file's signatures, macros, __shared__ arrays and <<<grid,
 * block>>>. */
enum gradus_status gr_kernel_infer(const char *path, const char *text, struct gr_str *out,
                                   struct gradus_error *error);
/* The same for the function of this name; null: the one that the file launches, or its first. */
enum gradus_status gr_kernel_infer_named(const char *path, const char *text, const char *name,
                                         struct gr_str *out, struct gradus_error *error);

#endif
