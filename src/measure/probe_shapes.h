/* probe_shapes.h: the shapes at which a kernel is tried beside the one asked for.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROBE_SHAPES_H
#define MEASURE_PROBE_SHAPES_H

#include "check/edge_shapes.h"

struct gr_probe_shape {
    int64_t m, n, k;
    bool padded; /* with leading dimensions longer than rows, where the kernel takes them */
    bool less;   /* where `require` wants multiples, the lower ones */
};

enum { GR_PROBE_SHAPES = 160 };

/* The edge shapes; wide, high and deep ones; those next to the size asked for and beyond it, in
 * each dimension alone and in all; and those with M, N or K 0. Each is as near as the kernel's
 * `require` allows, and none comes twice. `slow`: products are simulated, and the largest are left
 * out. Returns how many. */
int gr_probe_shapes(const struct gr_variant *variant, const struct gr_problem *asked, bool slow,
                    struct gr_probe_shape shapes[GR_PROBE_SHAPES]);

/* Moves the shape to the nearest multiples of a power of 2 (or of the kernel's parameters) that the
 * `require` of the variant admits, or to a small cube where it takes no others. False: none is
 * admitted. */
bool gr_probe_shape_fit(const struct gr_variant *variant, const struct gr_problem *asked,
                        struct gr_probe_shape *shape);

/* Whether the `require` of the variant, which may be null, admits the shape with dense rows. */
bool gr_probe_shape_admitted(const struct gr_variant *variant, const struct gr_problem *asked,
                             struct gr_probe_shape shape);

/* With `like`'s types and transposes, dense, alpha 1 and beta 0. */
struct gr_problem gr_probe_problem(struct gr_probe_shape shape, const struct gr_problem *like);

#endif
