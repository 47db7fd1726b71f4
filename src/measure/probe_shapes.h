/* probe_shapes.h: the shapes at which a kernel is tried besides the requested one.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROBE_SHAPES_H
#define MEASURE_PROBE_SHAPES_H

#include "check/edge_shapes.h"

struct gr_probe_shape {
    int64_t m, n, k;
    bool padded; /* with leading dimensions larger than the rows, if the kernel has them */
    bool less;   /* round down to the multiples that `require` demands */
};

enum { GR_PROBE_SHAPES = 160 };

/* Makes the edge shapes; wide, tall and deep ones; sizes near and above the requested one, in
 * each dimension alone and in all; and shapes with M, N or K 0. Each is as close as the kernel's
 * `require` allows, without duplicates. `slow`: the GEMMs are simulated, so the largest shapes
 * are left out. Returns their number. */
int gr_probe_shapes(const struct gr_variant *variant, const struct gr_problem *requested, bool slow,
                    struct gr_probe_shape shapes[GR_PROBE_SHAPES]);

/* Rounds the shape to the nearest multiples of a power of 2 (or of the kernel's parameters) that
 * the variant's `require` allows, or else to a small cube. False: none is allowed. */
bool gr_probe_shape_fit(const struct gr_variant *variant, const struct gr_problem *requested,
                        struct gr_probe_shape *shape);

/* Does the `require` of the variant (may be null) allow the shape with dense rows? */
bool gr_probe_shape_admitted(const struct gr_variant *variant, const struct gr_problem *requested,
                             struct gr_probe_shape shape);

/* A dense problem with the types and transposes of `like`, alpha 1 and beta 0. */
struct gr_problem gr_probe_problem(struct gr_probe_shape shape, const struct gr_problem *like);

#endif
