/* functions.h: the second pass of the scanner, which finds functions.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_FUNCTIONS_H
#define SOURCE_FUNCTIONS_H

#include "source/scan.h"

/* Finds the functions among scan's tokens. INVALID if braces are unbalanced. */
enum gradus_status gr_scan_functions(const char *path, struct gr_scan *scan,
                                     struct gradus_error *error);

#endif
