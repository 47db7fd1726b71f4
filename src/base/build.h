/* build.h: how this program was built. SPDX-License-Identifier: MIT */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

struct gr_build_facts {
    const char *compiler; /* "GCC 13.2.0" */
    const char
        *flags; /* "-O3 -DNDEBUG": without those of single files, such as a micro-kernel's ISA */
    const char *type;      /* "Release" */
    const char *target;    /* "x86_64 Linux" */
    const char *sanitizer; /* "address,undefined", or "" */
};

extern const struct gr_build_facts gr_build_facts;

#endif
