/* header_texts.h: the texts of the headers that a file includes with quotes.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_HEADER_TEXTS_H
#define CATALOG_HEADER_TEXTS_H

#include "base/str.h"

/* Appends the headers that `text`, which is that of the file at `path`, includes with quotes, and
 * those that they include, each once and before the file that includes it. A header is found beside
 * the file that includes it, or in its project. A header that cannot be read, or that is not a
 * complete text by itself, is left out. */
void gr_header_texts(const char *path, const char *text, struct gr_str *out);

#endif
