/* functions.h: the second half of the scanner. SPDX-License-Identifier: MIT */
#ifndef CATALOG_FUNCTIONS_H
#define CATALOG_FUNCTIONS_H

#include "catalog/scan.h"

/* Finds the functions among scan's tokens. INVALID for braces that do not pair. */
enum gradus_status gr_scan_functions(const char *path, struct gr_scan *scan,
                                     struct gradus_error *error);

#endif
