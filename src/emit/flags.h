/* flags.h: selects the compiler options that a given compiler understands, since one `flags`
 * line serves several compilers. SPDX-License-Identifier: MIT */
#ifndef EMIT_FLAGS_H
#define EMIT_FLAGS_H

#include "catalog/catalog.h"

enum gr_flags_reader {
    GR_FLAGS_NVRTC,
    GR_FLAGS_AMD,   /* hipRTC, and clang for AMD's GPUs */
    GR_FLAGS_HOST,  /* g++ or clang++, compiling for the simulator */
    GR_FLAGS_TRACED /* the same, if counts depend on the optimization */
};

/* The options in `flags` (null: the kernel's own) without those that are known to belong to
 * another compiler, for gr_words_split; malloc'ed, null if out of memory. Unknown options are
 * kept, so that the compiler reports them. */
char *gr_flags_for(const struct gr_kernel *kernel, const char *flags, enum gr_flags_reader reader);

#endif
