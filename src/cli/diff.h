/* diff.h: the difference between two texts, line by line. SPDX-License-Identifier: MIT */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "base/str.h"

#include <gradus/gradus.h>

/* Appends a unified diff (the format of `diff -u`) from `before` to `after`: a shortest one, with
 * `context` unchanged lines around each change; nothing if the texts are equal. The first two lines
 * have the names. `colour`: with escape sequences for a terminal. Errors: NO_MEMORY. */
enum gradus_status gr_diff_unified(const char *before_name, const char *before,
                                   const char *after_name, const char *after, int context,
                                   bool colour, struct gr_str *out, struct gradus_error *error);

#endif
