/* stub.h: the C file that turns a CPU kernel's own signature into the one call that Gradus makes.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_STUB_H
#define EMIT_STUB_H

#include "base/str.h"
#include "catalog/variant.h"

/* Appends a whole C translation unit: macros for T, TA, TB, parameters and lets; the kernel's
 * source with its host code cut and `#line` set to source_path; and `void SYMBOL(const struct
 * gr_launch *)` that calls it. The kernel's own function is renamed to SYMBOL_kernel so that
 * variants can be linked together. With a null `source_path`, the source is not copied but a
 * `#include` of kernel->path is written. The unit begins with #include "records/launch.h", so the
 * compiler needs -I of a folder that holds it, and -I of the kernel file's own folder for the
 * headers beside it. INVALID where an argument cannot be matched: "file:line:column: parameter 'x'
 * (double): …, wanted one of …". */
enum gradus_status gr_stub_write(const struct gr_variant *variant, const char *symbol,
                                 const char *source_path, struct gr_str *out,
                                 struct gradus_error *error);

#endif
