/* flags.h: which of the flags that a file or a user gives each compiler is given.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_FLAGS_H
#define EMIT_FLAGS_H

#include "catalog/catalog.h"

enum gr_flags_reader {
    GR_FLAGS_NVRTC,
    GR_FLAGS_HOST,  /* g++ or clang++, which compiles for the simulator */
    GR_FLAGS_TRACED /* the same, where counts depend on how much it optimizes */
};

/* Those of `flags`, or where that is null of the kernel's own, that are not known to be another
 * compiler's, as gr_words_split takes them; malloc'ed, null without memory. What no compiler is
 * known to have stays: the one that is given it says so. */
char *gr_flags_for(const struct gr_kernel *kernel, const char *flags, enum gr_flags_reader reader);

#endif
