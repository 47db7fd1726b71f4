/* utf8.h: reads and cleans UTF-8 text that may be ill-formed, one character at a time. Titles
 * and names from kernel files are untrusted and go to terminals and reports.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* The number of bytes, 1 to 4, of the well-formed UTF-8 character at `text`; 0 when the bytes there
 * are not one (overlong forms, surrogates and everything beyond U+10FFFF included) or `text` is
 * empty. */
int gr_utf8_length(const char *text);

/* Appends `text` as one line that is safe to print on a terminal: ill-formed bytes become U+FFFD,
 * line ends and tabs become blanks, and other control characters (such as an escape sequence in a
 * kernel's title) become question marks. */
void gr_str_add_line(struct gr_str *s, const char *text);

/* The width of `text` on a terminal, one column for each character. */
int gr_utf8_width(const char *text);

#endif
