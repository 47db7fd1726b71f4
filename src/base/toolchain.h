/* toolchain.h: runs a compiler or linker, and distinguishes errors in the source from problems
 * of the machine, because the user has to fix different things. SPDX-License-Identifier: MIT */
#ifndef BASE_TOOLCHAIN_H
#define BASE_TOOLCHAIN_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_toolchain_step {
    const char *const *argv;
    const char *source; /* the user's file, for messages */
    const char *what;   /* "compile", "link" */
    const char *output; /* the file that it writes */
    bool program;       /* `output` is a program, not a shared object */
};

/* Runs the step with its temporary files in our folder (base/temporary.h). COMPILE: the compiler
 * rejects the source; its messages are in error->log. IO: it could not do its work, because
 * processes, memory or disk space ran out. UNSUPPORTED: it cannot be run, or it reports success but
 * did not write its output. */
enum gradus_status gr_toolchain_run(const struct gr_toolchain_step *step,
                                    struct gradus_error *error);

#endif
