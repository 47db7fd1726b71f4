/* given_constants.h: numbers that `define` lines give to names which a file needs and does not
 * define, as a build's `-DN=1024` does, or in place of those that it defines.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_GIVEN_CONSTANTS_H
#define CATALOG_GIVEN_CONSTANTS_H

#include "base/str.h"

#include <stdbool.h>

/* The text with the numbers of its own `//@ define NAME=VALUE` lines and of those in `extra`, which
 * may be null and counts first, malloc'ed: a `#define NAME`, or a constant of that name, gets the
 * value, and a name that neither the text nor its headers define becomes a constant before the
 * first declaration. Lines stay lines. Null: there is nothing to change, or the text cannot be
 * read. */
char *gr_given_constants(const char *path, const char *text, const char *extra);
/* The text of a header of that file with the numbers of the file's `define` lines in place of those
 * that the header defines, malloc'ed. Null: there is nothing to change. */
char *gr_given_in_header(const char *header, const char *text, const char *extra);
/* Writes a `#define` for each name of a `define` line that the text does not define and asks for in
 * a condition, as `#ifdef NAME`: such a name is no constant. */
void gr_given_conditions(const char *path, const char *text, const char *extra, struct gr_str *out);
/* Is the name given by a `define` line of `text` or `extra`? */
bool gr_is_given_constant(const char *text, const char *extra, const char *name);

#endif
