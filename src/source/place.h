/* place.h: errors that point to a place in a kernel file. SPDX-License-Identifier: MIT */
#ifndef SOURCE_PLACE_H
#define SOURCE_PLACE_H

#include "records/kernel.h"

#include <gradus/gradus.h>

static inline struct gr_place gr_place_in_file(int line, int column)
{
    return (struct gr_place){.line = line, .column = column};
}

/* Fills *error with "path:line:column: " and the printf-formatted message, and returns
 * GRADUS_INVALID. A place on the command line is reported by its option: "--grid: ". */
enum gradus_status gr_fail_at(struct gradus_error *error, const char *path, struct gr_place place,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
