/* own_bits.h: which products have other bits than with an operand that was packed beforehand.
 * SPDX-License-Identifier: MIT */
#ifndef OWN_BITS_H
#define OWN_BITS_H

#include "probe/dispatched.h"
#include "ukr.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Those with columns that are dot products, whose sums run along k in vectors; and those in vectors
 * where such an operand would be multiplied in tile registers. */
static inline bool has_own_bits(const struct gradus_gemm *g)
{
    struct gr_dispatch d;
    if (gr_cpu_dispatch(g, NULL, &d, NULL) != GRADUS_OK)
        abort();
    return strcmp(d.path, "dots") == 0 || (d.tail_path && strcmp(d.tail_path, "dots") == 0) ||
           (d.in_tiles && !d.ukr->begin);
}

#endif
