/* place.h: errors that point into a kernel file. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLACE_H
#define CATALOG_PLACE_H

#include <gradus/gradus.h>

/* Fills *error with "path:line:column: " and the printf-formatted rest, and returns GRADUS_INVALID.
 * Line 0 stands for a line that came from the command line, and is written "command line:column: ".
 */
enum gradus_status gr_fail_at(struct gradus_error *error, const char *path, int line, int column,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
