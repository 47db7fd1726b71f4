/* place.h: errors that point into a kernel file. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLACE_H
#define CATALOG_PLACE_H

#include <gradus/gradus.h>

/* Fills *error with "path:line:column: " and the printf-formatted rest, and returns GRADUS_INVALID.
 * A line that came from the command line is no more than its option, "--grid: ": its number is the
 * option's keyword (see gr_keyword_at) as -1 for the first, -2 for the second …
 */
enum gradus_status gr_fail_at(struct gradus_error *error, const char *path, int line, int column,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
