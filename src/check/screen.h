/* screen.h: checking a C too large for a full reference. SPDX-License-Identifier: MIT */
#ifndef CHECK_SCREEN_H
#define CHECK_SCREEN_H

#include "check/judge.h"

#include <gradus/gradus.h>

/* Judges sampled rows and columns, the lines that Freivalds' residuals point at, and every element
 * that is NaN, Inf or `untouched` (may be null). *sees: an error of this size in any one element is
 * among those judged and beyond its bound; infinity where NaN or Inf in the inputs blind the
 * screen. *lines: how many lines the residuals had judged. False: out of memory. */
bool gr_screen(struct gr_tally *tally, const void *untouched, double *sees, int64_t *lines);

#endif
