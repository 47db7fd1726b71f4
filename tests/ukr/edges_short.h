/* edges_short.h: micro-kernels of short types at every edge. SPDX-License-Identifier: MIT */
#ifndef TESTS_EDGES_SHORT_H
#define TESTS_EDGES_SHORT_H

#include "ukr.h"

#include <stdbool.h>

/* Whether the micro-kernel is one of bf16 or of 8-bit integers. */
bool is_short(const struct ukr *ukr);
/* Tries it; prints the first wrong element, and false. `rest` 1: every m and n; more: of the tiles
 * that are ragged both ways, one in so many. */
bool edges_short(const struct ukr *ukr, int rest);

#endif
