/* defines.h: what a kernel file defines for itself, by #define and typedef.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_DEFINES_H
#define SOURCE_DEFINES_H

#include "base/str.h"
#include "source/scan.h"
#include "records/kernel.h"

/* When token i is `#define NAME BODY`, without parameters: BODY as it stands, its length in
 * *length, comments cut. Null when it is not. */
const char *gr_define_body(const struct gr_scan *scan, int i, const char *name, size_t *length);
/* The token of the file's own `#define NAME` or `typedef … NAME;`, or -1. */
int gr_define_find(const struct gr_scan *scan, const char *name);
/* Is the #define at token i inside `#ifndef NAME`, so that one given from outside wins? */
bool gr_define_guarded(const struct gr_scan *scan, int i, const char *name);

/* INVALID when the file's own, unguarded #define would win over one of its params. */
enum gradus_status gr_defines_check(const struct gr_kernel *kernel, const struct gr_scan *scan,
                                    struct gradus_error *error);

#endif
