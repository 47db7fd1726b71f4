/* text.h: quoting for a shell, wrapping for a terminal. SPDX-License-Identifier: MIT */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/str.h"

/* Appends words as one line that a POSIX shell reads back as the same words. */
void gr_text_quote(struct gr_str *out, int count, char *const *words);

/* Appends text[0..length) with blanks and line breaks folded, wrapped so that no line is longer
 * than `columns` unless a single word is. Lines after the first start with `indent` blanks; the
 * first is taken to start at column `indent` already. Ends in a line break. */
void gr_text_wrap(struct gr_str *out, const char *text, size_t length, int indent, int columns);

/* Appends paragraphs as struct gr_verb's details are written: wrapped, but lines that start with a
 * blank are kept. */
void gr_text_paragraphs(struct gr_str *out, const char *text, int columns);

/* The number of columns of UTF-8 text, with one column for each code point. */
int gr_text_columns(const char *text, size_t length);
/* Appends text and blanks up to `columns`. */
void gr_text_pad(struct gr_str *out, const char *text, int columns);

/* The end of the line that starts at `text`: at its line break, or at the end of all. */
const char *gr_text_line_end(const char *text);

#endif
