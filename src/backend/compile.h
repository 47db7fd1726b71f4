/* compile.h: compiles a user's CPU kernel with the system's C compiler.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_COMPILE_H
#define BACKEND_COMPILE_H

#include "backend/backend.h"

/* Compiles the variant's stub into a shared object in a temporary file: artifact->path is its
 * path, and artifact->pending registers it for removal. COMPILE (with the compiler's log),
 * UNSUPPORTED (no compiler), TIMED_OUT, IO. */
enum gradus_status gr_compile_c(const struct gr_variant *variant, const struct gr_build *build,
                                struct gr_artifact *artifact, struct gradus_error *error);

/* What the compiler warns about in the kernel that may explain why it is wrong: a variable that is
 * read before it is set, an index outside an array, a memset of a pointer's size. malloc'ed, with
 * the line in the kernel's file (0: in another file); null: nothing, or no compiler. The kernel is
 * compiled once more for this, since the warnings of one that is right are of no use. */
char *gr_compile_warning(const struct gr_variant *variant, const struct gr_build *build, int *line);

#endif
