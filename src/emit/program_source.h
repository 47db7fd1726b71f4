/* program_source.h: a kernel file made whole. SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_SOURCE_H
#define EMIT_PROGRAM_SOURCE_H

#include "base/str.h"
#include "records/kernel.h"

#include <gradus/gradus.h>

/* Appends the kernel's file without its host code and without empty lines in a row; each #include
 * "…" of a header beside it is replaced by that header, once. */
enum gradus_status gr_program_source_write(const struct gr_kernel *kernel, struct gr_str *out,
                                           struct gradus_error *error);

#endif
