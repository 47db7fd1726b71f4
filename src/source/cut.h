/* cut.h: a kernel file without its host code. SPDX-License-Identifier: MIT */
#ifndef SOURCE_CUT_H
#define SOURCE_CUT_H

#include "base/str.h"
#include "records/kernel.h"

#include <gradus/gradus.h>

/* Replaces the host functions of a kernel file (main, launchers, checks) by blanks, line numbers
 * kept, so that what is left is the kernels and what they need. Names of what was cut go to `cut`
 * ("main, run_test") when it is not null. For C, only `main` is cut; for CUDA every function that
 * is neither __global__ nor __device__ and that a device function does not need. */
enum gradus_status gr_source_cut(const char *path, const char *text, enum gr_language language,
                                 struct gr_str *out, struct gr_str *cut,
                                 struct gradus_error *error);

/* The same of `text`, the kernel's file with others joined to it; of the device code only what the
 * kernel's own functions need stays. */
enum gradus_status gr_source_cut_to(const struct gr_kernel *kernel, const char *text,
                                    struct gr_str *out, struct gr_str *cut,
                                    struct gradus_error *error);

#endif
