/* markup.h: escapes text of unknown origin for HTML and SVG. SPDX-License-Identifier: MIT */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include "base/str.h"

/* Appends `text` (nothing if it is null) as one line of character data that is safe between tags
 * and in a quoted attribute. */
void gr_markup_add(struct gr_str *out, const char *text);
/* The same, but keeps line ends, for a <pre>. */
void gr_markup_add_lines(struct gr_str *out, const char *text);
/* Appends printf-formatted text, escaped as by gr_markup_add. */
void gr_markup_printf(struct gr_str *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
