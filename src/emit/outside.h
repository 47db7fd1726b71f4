/* outside.h: decides whether a compilation depends only on its text and options, so that its
 * result can be cached, or also on other files that may change. SPDX-License-Identifier: MIT */
#ifndef EMIT_OUTSIDE_H
#define EMIT_OUTSIDE_H

#include <stdbool.h>

struct gr_outside {
    const char *text; /* as it is passed to the compiler */
    /* The folder of the user's file, with a trailing slash; "" for the current folder. */
    const char *kernel_folder;
    const char *const *words; /* the compiler's options */
    int word_count;
    const char *ours; /* a folder of headers that belong to the compiler or to Gradus; "" if none */
    /* Is a header of that name (not NUL-terminated) passed to the compiler together with the
     * text? */
    bool (*is_given)(const char *name, int length, const void *with);
    const void *with;
};

/* True if a file of the user is, or may be, part of the compilation: a header that is included
 * with quotes or by a macro, a header in angle brackets that is found beside the kernel or in a
 * folder from an option or CPATH, or a file that an option names. */
bool gr_reads_outside(const struct gr_outside *about);

#endif
