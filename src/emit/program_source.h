/* program_source.h: prepares a kernel file for export: one self-contained text.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_SOURCE_H
#define EMIT_PROGRAM_SOURCE_H

#include "base/str.h"
#include "records/kernel.h"

#include <gradus/gradus.h>

/* Appends the kernel's file without its host code and with runs of empty lines collapsed. Each
 * #include "…" of a header beside the file is replaced by the header, once. */
enum gradus_status gr_program_source_write(const struct gr_kernel *kernel, struct gr_str *out,
                                           struct gradus_error *error);

#endif
