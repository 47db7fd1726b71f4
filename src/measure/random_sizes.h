/* random_sizes.h: draws random sizes of products. SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANDOM_SIZES_H
#define MEASURE_RANDOM_SIZES_H

#include "measure/size.h"

#include <stdbool.h>

enum { GR_MOST_RANDOM_SIZES = 100000 };

struct gr_random_size {
    struct gr_size size;
    bool trans_a, trans_b;
};

/* Draws `count` products into `drawn`. Each dimension is distributed log-uniformly, from 1 to 40 in
 * a third of the products, from 1 to 800 in half of them, and from 1 to 4000 in the others; each of
 * the four transposes is equally likely. The same seed gives the same products on every machine,
 * and a larger count begins with those of a smaller one. */
void gr_random_sizes_draw(uint64_t seed, int count, struct gr_random_size *drawn);

#endif
