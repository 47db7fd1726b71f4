/* edge_shapes.h: the small shapes at which kernels go wrong. SPDX-License-Identifier: MIT */
#ifndef CHECK_EDGE_SHAPES_H
#define CHECK_EDGE_SHAPES_H

#include "catalog/variant.h"

struct gr_edge_shape {
    int64_t m, n, k;
    int64_t pad; /* added to each leading dimension, differently */
};

enum { GR_EDGE_SHAPES = 96 };

/* Round one, primes, round the usual tiles and round the variant's own parameters (null: none),
 * padded and not. Returns how many. */
int gr_edge_shapes(const struct gr_variant *variant, struct gr_edge_shape shapes[GR_EDGE_SHAPES]);
/* "63x65x64", as the kernel's own M, N and K. */
void gr_edge_name(struct gr_edge_shape shape, const struct gr_variant *variant, char name[64]);
/* The shape as a problem with `like`'s types and transposes, alpha 1 and beta 0. */
struct gr_problem gr_edge_problem(struct gr_edge_shape shape, const struct gr_problem *like);

#endif
