/* place.c: errors that point into a kernel file. SPDX-License-Identifier: MIT */
#include "catalog/place.h"

#include "base/error.h"
#include "catalog/keywords.h"

#include <stdarg.h>
#include <stdio.h>

enum gradus_status gr_fail_at(struct gradus_error *error, const char *path, int line, int column,
                              const char *format, ...)
{
    char text[sizeof error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line <= 0)
        return gr_fail(error, GRADUS_INVALID, "--%s: %s", gr_keyword_at(-1 - line), text);
    return gr_fail(error, GRADUS_INVALID, "%s:%d:%d: %s", path, line, column, text);
}
