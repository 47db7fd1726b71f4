/* stub.h: the C file that turns a CPU kernel's own signature into the one call that Gradus makes.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_STUB_H
#define CATALOG_STUB_H

#include "base/str.h"
#include "catalog/variant.h"

/* Appends a whole C translation unit: macros for T, TA, TB, parameters and lets; the kernel's
 * source with its host code cut and `#line` set to source_path; and `void SYMBOL(const struct
 * gr_launch *)` that calls it. The kernel's own function is renamed to SYMBOL_kernel so that
 * variants can be linked together. With a null `source_path`, the source is not copied but a
 * `#include` of kernel->path is written. The unit begins with #include "core/launch.h", so the
 * compiler needs -I of a folder that holds it, and -I of the kernel file's own folder for the
 * headers beside it. INVALID where an argument cannot be matched: "file:line:column: parameter 'x'
 * (double): …, wanted one of …". */
enum gradus_status gr_stub_write(const struct gr_variant *variant, const char *symbol,
                                 const char *source_path, struct gr_str *out,
                                 struct gradus_error *error);

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

/* Front matter for a file that has none, as `//@` lines: what can be read off its signatures,
 * macros, __shared__ arrays and <<<grid, block>>>. Written by `gradus init`. */
enum gradus_status gr_kernel_infer(const char *path, const char *text, struct gr_str *out,
                                   struct gradus_error *error);

#endif
