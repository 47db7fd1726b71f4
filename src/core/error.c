/* error.c: fills errors, and names the statuses. SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *gradus_status_name(enum gradus_status status)
{
    static const char *const names[] = {
#define NAME(suffix, name, text) name,
        GRADUS_STATUS_LIST(NAME)
#undef NAME
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *gradus_status_text(enum gradus_status status)
{
    static const char *const texts[] = {
#define TEXT(suffix, name, text) text,
        GRADUS_STATUS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

void gradus_error_clear(struct gradus_error *error)
{
    if (!error)
        return;
    free(error->log);
    *error = (struct gradus_error){0};
}

const char *gradus_version(void)
{
#define STRING2(x) #x
#define STRING(x) STRING2(x)
    return STRING(GRADUS_VERSION_MAJOR) "." STRING(GRADUS_VERSION_MINOR) "." STRING(
        GRADUS_VERSION_PATCH);
#undef STRING
#undef STRING2
}

enum gradus_status gr_fail(struct gradus_error *error, enum gradus_status status,
                           const char *format, ...)
{
    if (!error)
        return status;
    gradus_error_clear(error);
    error->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return status;
}

enum gradus_status gr_fail_memory(struct gradus_error *error, const char *what, uint64_t bytes)
{
    return gr_fail(error, GRADUS_NO_MEMORY, "out of memory: %s needs %" PRIu64 " bytes", what,
                   bytes);
}
