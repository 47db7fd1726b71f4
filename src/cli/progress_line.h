/* progress_line.h: shows the progress of a command. On a terminal, it is one line that is redrawn
 * every second and erased at the end. If standard error is not a terminal, or one without cursor
 * control, a new line is printed now and then. Standard output is never used.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_LINE_H
#define CLI_PROGRESS_LINE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Show the line from gr_progress_begin to gr_progress_end. A nested begin does nothing. */
void gr_progress_begin(void);
void gr_progress_end(void);

/* Sets the text: a head such as "[7/39] 06_packing 1024", a stage such as "verifying", and the time
 * left from now on; negative: not known. Both texts may be "". Does nothing outside begin and
 * end. */
void gr_progress_format(const char *head, const char *stage, int64_t left_ns);

/* Hide the line while something else is printed to the terminal, and show it again. */
void gr_progress_hide(void);
void gr_progress_show(void);

/* Erases the line when the program dies. Async-signal-safe. */
void gr_progress_wipe(void);

/* Appends for example "[7/39] 06_packing 1024 · verifying · 1:20 left" in at most `columns`
 * characters (0: no limit): the stage is left out first, and then the end of the head is cut. If
 * the time left is not known, the elapsed time is shown. */
void gr_progress_line(const char *head, const char *stage, int64_t left_ns, int64_t passed_ns,
                      int columns, struct gr_str *out);

#endif
