/* headers.h: a kernel's file and the headers of its project as one text. SPDX-License-Identifier:
 * MIT */
#ifndef EMIT_HEADERS_H
#define EMIT_HEADERS_H

#include "base/str.h"
#include "source/project.h"
#include "records/kernel.h"

/* Appends the kernel's file, behind what its includer says before it, with each header of the
 * project (found as gr_project_header finds it) in the place of its #include, so that host code can
 * be cut from headers as it is from the file; `#line` keeps every line's own file and number. A
 * header that is not found, of the project or of a library, is included only where the compiler has
 * it: what needed it was host code, or the compiler names what is missing. */
void gr_headers_join(const struct gr_project *project, const struct gr_kernel *kernel,
                     struct gr_str *out);
/* The same of one file. */
void gr_headers_join_file(const struct gr_project *project, const char *path, const char *text,
                          struct gr_str *out);

#endif
