/* screen.h: checks a C that is too large for a full reference, by Freivalds' algorithm and
 * samples. SPDX-License-Identifier: MIT */
#ifndef CHECK_SCREEN_H
#define CHECK_SCREEN_H

#include "check/judge.h"

#include <gradus/gradus.h>

/* Compares sampled rows and columns, the lines whose Freivalds residuals are too large, and
 * every element that is NaN, Inf or `untouched` (may be null). *sees: any single error of at
 * least this size is among the elements compared and exceeds its bound; infinity if NaN or Inf
 * in the inputs make the residuals useless. *lines: how many lines were compared because of
 * their residuals. False: memory is out. */
bool gr_screen(struct gr_tally *tally, const void *untouched, double *sees, int64_t *lines);

#endif
