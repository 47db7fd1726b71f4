/* cut.h: removes the host code from a kernel file, since a run-time compiler does not have the
 * headers that host code includes. SPDX-License-Identifier: MIT */
#ifndef SOURCE_CUT_H
#define SOURCE_CUT_H

#include "base/str.h"
#include "records/kernel.h"

#include <gradus/gradus.h>

/* Replaces the host functions of a kernel file (main, launchers, checks) by blanks and keeps the
 * line numbers, so that the kernels and what they need remain. The names of the removed
 * functions are appended to `cut` ("main, run_test") unless it is null. In a C file only `main`
 * is removed; in CUDA every function that is neither __global__ nor __device__ and that no
 * device function needs. What the template arguments of a `kernel` line or of --kernel name, as in
 * `gemm<Tile<64,64>>`, is needed, too; `kernel` may be null. */
enum gradus_status gr_source_cut(const char *path, const char *text, enum gr_language language,
                                 const struct gr_kernel *kernel, struct gr_str *out,
                                 struct gr_str *cut, struct gradus_error *error);

/* The same for `text`, which is the kernel's file with others joined to it. Of its device code
 * only what the kernel's own functions and their template arguments need is kept. */
enum gradus_status gr_source_cut_to(const struct gr_kernel *kernel, const char *text,
                                    struct gr_str *out, struct gr_str *cut,
                                    struct gradus_error *error);

#endif
