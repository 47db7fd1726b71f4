/* place.c: errors that point to a place in a kernel file. SPDX-License-Identifier: MIT */
#include "source/place.h"

#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

enum gradus_status gr_fail_at(struct gradus_error *error, const char *path, struct gr_place place,
                              const char *format, ...)
{
    char text[sizeof error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (place.option)
        return gr_fail(error, GRADUS_INVALID, "--%s: %s", place.option, text);
    return gr_fail(error, GRADUS_INVALID, "%s:%d:%d: %s", path, place.line, place.column, text);
}
