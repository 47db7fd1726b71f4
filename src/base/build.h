/* build.h: which compiler and options built this program, so that reports can name them.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

struct gr_build_facts {
    const char *compiler; /* "GCC 13.2.0" */
    /* "-O3 -DNDEBUG"; options of single files, such as the ISA of a micro-kernel, are not
     * included. */
    const char *flags;
    const char *type;      /* "Release" */
    const char *target;    /* "x86_64 Linux" */
    const char *sanitizer; /* "address,undefined", or "" */
};

extern const struct gr_build_facts gr_build_facts;

#endif
