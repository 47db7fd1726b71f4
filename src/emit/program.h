/* program.h: exports a kernel as a complete program for nvcc, which runs, checks and times it
 * without Gradus. SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_H
#define EMIT_PROGRAM_H

#include "base/str.h"
#include "catalog/variant.h"

/* Appends a complete CUDA C++ file: the variant's macros; the kernel file without its host code
 * and with the headers beside it inserted; `launch`, which contains the front matter's grid,
 * block, shared memory, clusters, buffers and arguments; and a `main` that runs the kernel,
 * checks elements of C in float64 and measures times. UNSUPPORTED for files that are not CUDA
 * and for tensor maps; INVALID for a kernel without grid or block. */
enum gradus_status gr_program_write(const struct gr_variant *variant, struct gr_str *out,
                                    struct gradus_error *error);

#endif
