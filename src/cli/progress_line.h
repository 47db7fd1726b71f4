/* progress_line.h: how far a command has come: one line on a terminal, that is drawn anew every
 * second and leaves nothing behind; now and then a line where standard error is not a terminal, or
 * one that knows no cursor. Standard output is never touched. SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_LINE_H
#define CLI_PROGRESS_LINE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* From here on the line is shown, until gr_progress_end. A second begin before it does nothing. */
void gr_progress_begin(void);
void gr_progress_end(void);

/* "[7/39] 06_packing 1024", "verifying", and the time left from now on; below 0: not known. Either
 * text may be "". Does nothing outside begin and end. */
void gr_progress_format(const char *head, const char *stage, int64_t left_ns);

/* The line is not there while something else is printed to the terminal. */
void gr_progress_hide(void);
void gr_progress_show(void);

/* Takes the line away as the program dies. Async-signal-safe. */
void gr_progress_wipe(void);

/* Appends "[7/39] 06_packing 1024 · verifying · 1:20 left" in at most `columns` characters (0: no
 * limit): the stage goes first, then the tail of the head. Where what is left is not known, what
 * has passed is shown. */
void gr_progress_line(const char *head, const char *stage, int64_t left_ns, int64_t passed_ns,
                      int columns, struct gr_str *out);

#endif
