/* defines.h: finds what a kernel file itself defines by #define and typedef, because a variant
 * must not define the same names again. SPDX-License-Identifier: MIT */
#ifndef SOURCE_DEFINES_H
#define SOURCE_DEFINES_H

#include "base/str.h"
#include "source/scan.h"
#include "records/kernel.h"

/* If token i is `#define NAME BODY` without parameters: a pointer to BODY, with its length,
 * without comments, in *length. Else null. */
const char *gr_define_body(const struct gr_scan *scan, int i, const char *name, size_t *length);
/* The token of the file's own `#define NAME`, `typedef … NAME;` or `using NAME = …;`, or -1. */
int gr_define_find(const struct gr_scan *scan, const char *name);
/* Is the #define at token i inside `#ifndef NAME`, so that a value given from outside takes
 * precedence? */
bool gr_define_guarded(const struct gr_scan *scan, int i, const char *name);

/* INVALID if an unguarded #define of the file would override one of its params. */
enum gradus_status gr_defines_check(const struct gr_kernel *kernel, const struct gr_scan *scan,
                                    struct gradus_error *error);

#endif
