/* functions.h: the second half of the scanner. SPDX-License-Identifier: MIT */
#ifndef SOURCE_FUNCTIONS_H
#define SOURCE_FUNCTIONS_H

#include "source/scan.h"

/* Finds the functions among scan's tokens. INVALID for braces that do not pair. */
enum gradus_status gr_scan_functions(const char *path, struct gr_scan *scan,
                                     struct gradus_error *error);

#endif
