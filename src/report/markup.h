/* markup.h: text of unknown origin inside HTML and SVG. SPDX-License-Identifier: MIT */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include "base/str.h"

/* Appends `text` (null: nothing) as one line of character data, safe between tags and in a quoted
 * attribute. */
void gr_markup_add(struct gr_str *out, const char *text);
/* The same with its line ends kept, for a <pre>. */
void gr_markup_add_lines(struct gr_str *out, const char *text);
/* Appends printf-formatted text by gr_markup_add. */
void gr_markup_printf(struct gr_str *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
