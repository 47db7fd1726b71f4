/* stub.h: writes the C file that adapts a CPU kernel's own signature to the one call that Gradus
 * makes. Built-in kernels and a user's go through the same stub. SPDX-License-Identifier: MIT */
#ifndef EMIT_STUB_H
#define EMIT_STUB_H

#include "base/str.h"
#include "catalog/variant.h"

/* Appends a complete C translation unit: macros for T, TA, TB, params and lets; the kernel's
 * source without its host code, with `#line` set to source_path; and `void SYMBOL(const struct
 * gr_launch *)`, which calls it. The kernel's own function is renamed to SYMBOL_kernel, so that
 * several variants can be linked together. If `source_path` is null, the source is not copied
 * and the unit has an `#include` of kernel->path instead. The unit begins with #include
 * "records/launch.h", so the compiler needs -I of the folder that contains it, and -I of the
 * kernel file's folder for the headers beside it. INVALID if there is no argument for a
 * parameter: "file:line:column: parameter 'x' (double): …, wanted one of …". */
enum gradus_status gr_stub_write(const struct gr_variant *variant, const char *symbol,
                                 const char *source_path, struct gr_str *out,
                                 struct gradus_error *error);

#endif
