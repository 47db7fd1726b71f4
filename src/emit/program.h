/* program.h: a kernel as a program of its own, for nvcc. SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_H
#define EMIT_PROGRAM_H

#include "base/str.h"
#include "catalog/variant.h"

/* Appends a whole CUDA C++ file: the variant's macros; the kernel file without its host code, the
 * headers beside it written out; `launch`, what the front matter says of grid, block, shared
 * memory, clusters, buffers and arguments; and a `main` that multiplies, checks elements of C in
 * float64 and times. UNSUPPORTED for what is not CUDA and for tensor maps; INVALID for a kernel
 * without grid or block. */
enum gradus_status gr_program_write(const struct gr_variant *variant, struct gr_str *out,
                                    struct gradus_error *error);

#endif
