/* build.c: the compiler and the options that CMake used for this build.
 * SPDX-License-Identifier: MIT */
#include "base/build.h"

/* cmake/facts.cmake sets these macros for this file; the compiler's name comes from its own
 * macros. */
#ifndef GRADUS_BUILD_TYPE
#define GRADUS_BUILD_TYPE "unknown"
#define GRADUS_BUILD_FLAGS "unknown"
#define GRADUS_BUILD_TARGET "unknown"
#define GRADUS_BUILD_SANITIZER ""
#endif

const struct gr_build_facts gr_build_facts = {
#ifdef __clang__
    .compiler = __VERSION__,
#else
    .compiler = "GCC " __VERSION__,
#endif
    .flags = GRADUS_BUILD_FLAGS,
    .type = GRADUS_BUILD_TYPE,
    .target = GRADUS_BUILD_TARGET,
    .sanitizer = GRADUS_BUILD_SANITIZER,
};
