/* toolchain.h: running a compiler, and telling what is wrong with the source from what is wrong
 * with the machine. SPDX-License-Identifier: MIT */
#ifndef BASE_TOOLCHAIN_H
#define BASE_TOOLCHAIN_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_toolchain_step {
    const char *const *argv;
    const char *source; /* the user's file, for messages */
    const char *what;   /* "compile", "link" */
    const char *output; /* the file that it writes */
    bool program;       /* which is a program or a shared object */
};

/* Runs the step with its temporary files beside ours (base/temporary.h). COMPILE: it refuses the
 * source; its words are in error->log. IO: it could not do its work, for want of processes, memory
 * or room. UNSUPPORTED: it says that all is well and has not written what was asked of it, or
 * cannot be run. */
enum gradus_status gr_toolchain_run(const struct gr_toolchain_step *step,
                                    struct gradus_error *error);

#endif
