/* scale_pairs.c: all combinations of the relevant values of alpha and beta.
 * SPDX-License-Identifier: MIT */
#include "measure/scale_pairs.h"

#include "core/error.h"

/* A fault with one value of a kind usually shows with all: scaling by 0 is skipped, 1 is a
 * special case, a negative number loses its sign. For a kernel with integer parameters, 1.5
 * becomes 3 and 0.5 becomes 2. */
static const struct gr_scales pairs[] = {{1.5, 0.5}, {-2, 0},   {0, 0.5}, {1, 1},    {0, 1},
                                         {-2, 1},    {0, 0},    {1, 0.5}, {1.5, 1},  {1, 0},
                                         {-2, -1.5}, {0, -1.5}, {1.5, 0}, {-2, 0.5}, {1, -1},
                                         {1.5, -1},  {-1, -1},  {-1, 1},  {-1, 0}};

static double whole(double x)
{
    return x == 1.5 ? 3 : x == 0.5 ? 2 : x == -1.5 ? -3 : x;
}

static bool admits(const struct gr_variant *variant, struct gr_problem problem,
                   struct gr_scales scales)
{
    struct gradus_error why = {0};
    problem.alpha = scales.alpha;
    problem.beta = scales.beta;
    const bool ok = !variant || gr_variant_admits(variant, &problem, NULL, &why) == GRADUS_OK;
    gradus_error_clear(&why);
    return ok;
}

int gr_scale_pairs(const struct gr_variant *variant, const struct gr_problem *problem,
                   struct gr_scales list[GR_SCALE_PAIRS])
{
    const bool integers = gr_dtype_eps(problem->types.acc) == 0;
    int count = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct gr_scales scales = pairs[i];
        if (integers)
            scales = i == 0 ? gr_scales_distinct(problem->types.acc)
                            : (struct gr_scales){whole(scales.alpha), whole(scales.beta)};
        const bool plain = scales.alpha == 1 && scales.beta == 0;
        if (plain || admits(variant, *problem, scales))
            list[count++] = scales;
    }
    return count;
}

bool gr_scale_pair_in_turn(const struct gr_scales *list, int count, bool beta_zero, int i,
                           struct gr_scales *scales)
{
    int of_kind = 0;
    for (int j = 0; j < count; j++)
        of_kind += (list[j].beta == 0) == beta_zero;
    if (of_kind == 0)
        return false;
    int left = i % of_kind;
    for (int j = 0; j < count; j++)
        if ((list[j].beta == 0) == beta_zero && left-- == 0)
            *scales = list[j];
    return true;
}
