/* size_names.h: what the name of a constant says about the sizes of a product.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_SIZE_NAMES_H
#define CATALOG_SIZE_NAMES_H

#include <stdbool.h>

/* Is it the size of a part of a matrix, and not that of the whole? */
bool gr_is_tile_name(const char *name);
/* The size that a constant of this name is: 0 to 2 for M, N and K, 3 for the side of square
 * matrices; -1: it is something else. */
int gr_size_of_name(const char *name);

#endif
