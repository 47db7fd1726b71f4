/* fail.c: reports a failure in one line, and returns the exit status for it.
 * SPDX-License-Identifier: MIT */
#include "cli/verb.h"

#include "core/error.h"
#include "base/utf8.h"
#include "cli/progress_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum gr_exit exit_of(enum gradus_status status)
{
    switch (status) {
    case GRADUS_OK:
        return GR_EXIT_RIGHT;
    case GRADUS_INVALID:
    case GRADUS_NOT_FOUND:
    case GRADUS_NO_MEMORY:
    case GRADUS_IO:
        return GR_EXIT_USAGE;
    case GRADUS_UNSUPPORTED:
        return GR_EXIT_NOTHING;
    case GRADUS_INTERRUPTED:
        return GR_EXIT_INTERRUPTED;
    default:
        return GR_EXIT_WRONG;
    }
}

/* Ensures that the message is one line, because the name of a file may contain line ends and escape
 * sequences for the terminal. */
static void print_line(const char *text)
{
    struct gr_str line = {0};
    gr_str_add_line(&line, text);
    fflush(stdout); /* keeps the order of both streams */
    gr_progress_hide();
    fprintf(stderr, "gradus: %s\n", gr_str_text(&line));
    gr_progress_show();
    gr_str_free(&line);
}

enum gr_exit gr_cli_fail(const struct gradus_error *error)
{
    print_line(error->text[0] ? error->text : gradus_status_text(error->status));
    if (error->log && error->log[0])
        fprintf(stderr, "%s%s", error->log, gr_ends_with(error->log, "\n") ? "" : "\n");
    return exit_of(error->status);
}

static void print_formatted(const char *format, va_list values)
{
    char text[sizeof((struct gradus_error *)0)->text];
    vsnprintf(text, sizeof text, format, values);
    print_line(text);
}

enum gr_exit gr_cli_refuse(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_formatted(format, values);
    va_end(values);
    return GR_EXIT_USAGE;
}

void gr_cli_note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_formatted(format, values);
    va_end(values);
}
