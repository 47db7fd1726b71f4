/* headers.h: joins a kernel's file and the headers of its project into one text, so that host
 * code can be removed from the headers too. SPDX-License-Identifier: MIT */
#ifndef EMIT_HEADERS_H
#define EMIT_HEADERS_H

#include "base/str.h"
#include "source/project.h"
#include "records/kernel.h"

/* Appends the kernel's file, preceded by the text of the file that includes it, and replaces
 * each #include of a project header (found by gr_project_header) by that header; `#line`
 * directives keep the file and line number of every line. Any other header is included only if
 * the compiler has it (__has_include): if it is missing, either only host code needed it, or the
 * compiler reports the names that it should have declared. */
void gr_headers_join(struct gr_project *project, const struct gr_kernel *kernel,
                     struct gr_str *out);
/* The same for another file of the kernel's project. */
void gr_headers_join_file(struct gr_project *project, const struct gr_kernel *kernel,
                          const char *path, const char *text, struct gr_str *out);

#endif
