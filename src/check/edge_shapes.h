/* edge_shapes.h: the small shapes at which kernels often fail. They are near the multiples of
 * tile sizes, where partial tiles are handled. SPDX-License-Identifier: MIT */
#ifndef CHECK_EDGE_SHAPES_H
#define CHECK_EDGE_SHAPES_H

#include "catalog/variant.h"

struct gr_edge_shape {
    int64_t m, n, k;
    int64_t pad; /* added to lda, ldb and ldc, to each with another small offset */
};

enum { GR_EDGE_SHAPES = 96 };

/* Makes shapes near one, primes, and shapes near common tile sizes and near the variant's
 * parameters (null: none), with and without padding. Returns their number. */
int gr_edge_shapes(const struct gr_variant *variant, struct gr_edge_shape shapes[GR_EDGE_SHAPES]);
/* "63x65x64", with the kernel's own M, N and K. */
void gr_edge_name(struct gr_edge_shape shape, const struct gr_variant *variant, char name[64]);
/* A problem of this shape with the types and transposes of `like`, alpha 1 and beta 0. */
struct gr_problem gr_edge_problem(struct gr_edge_shape shape, const struct gr_problem *like);

#endif
