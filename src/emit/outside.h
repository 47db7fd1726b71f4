/* outside.h: whether what is compiled is known by its text and its flags, or may change without a
 * sign in them. SPDX-License-Identifier: MIT */
#ifndef EMIT_OUTSIDE_H
#define EMIT_OUTSIDE_H

#include <stdbool.h>

struct gr_outside {
    const char *text;   /* as the compiler is given it */
    const char *beside; /* the folder of the user's file, with its slash; "" for the current one */
    const char *const *words; /* the compiler's options */
    int word_count;
    const char *ours; /* a folder whose headers are known by the compiler's version or by ours; ""
                         for none */
    /* Whether a header of that name (not ended by a zero) is given with the text. */
    bool (*is_given)(const char *name, int length, const void *with);
    const void *with;
};

/* True where a file of the user's own is, or may be, part of it: one that is included with quotes,
 * or by a macro's name; one in angle brackets that lies beside the kernel or in a folder that an
 * option or CPATH names; one that an option reads in. */
bool gr_reads_outside(const struct gr_outside *about);

#endif
