/* smallest.c: finds a wrong GEMM that is small enough to be checked by hand.
 * SPDX-License-Identifier: MIT */
#include "measure/smallest.h"

#include "measure/probe_shapes.h"

static const struct gr_probe_shape small[] = {
    {.m = 1, .n = 1, .k = 1},    {.m = 2, .n = 2, .k = 2},    {.m = 2, .n = 3, .k = 5},
    {.m = 5, .n = 4, .k = 3},    {.m = 8, .n = 8, .k = 8},    {.m = 16, .n = 16, .k = 16},
    {.m = 17, .n = 33, .k = 9},  {.m = 32, .n = 32, .k = 32}, {.m = 33, .n = 31, .k = 32},
    {.m = 64, .n = 64, .k = 64}, {.m = 63, .n = 65, .k = 66}, {.m = 128, .n = 128, .k = 32}};

/* False if the kernel refuses the shape, or if it is not smaller than the requested one. */
static bool wrong_at(struct gr_search *search, struct gr_probe_shape shape, struct gr_scales scales,
                     struct gr_problem *problem, enum gradus_status *status,
                     struct gradus_error *error)
{
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    bool right = true;
    if (!gr_probe_shape_fit(search->candidate->variant, requested, &shape))
        return false;
    *problem = gr_probe_problem(shape, requested);
    if (gr_problem_flops(problem) >= gr_problem_flops(requested))
        return false;
    *status =
        gr_probe_right(search->session, search->candidate, problem, scales, &right, NULL, error);
    return *status == GRADUS_OK && !right;
}

enum gradus_status gr_smallest_case(struct gr_search *search, struct gr_scales scales,
                                    struct gradus_error *error)
{
    struct gr_problem problem = search->session->pairs[0].problem;
    enum gradus_status status = GRADUS_OK;
    char name[160], size[64] = "";
    bool found = false;
    for (size_t i = 0; i < sizeof small / sizeof *small && !found && status == GRADUS_OK &&
                       search->candidate->variant && !search->session->options.no_shapes;
         i++)
        found = wrong_at(search, small[i], scales, &problem, &status, error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_variant *variant = search->candidate->variant;
    gr_probe_name(variant, &search->session->pairs[0].problem, scales, name);
    if (found)
        gr_size_name(variant->kernel->mirrored ? problem.n : problem.m,
                     variant->kernel->mirrored ? problem.m : problem.n, problem.k, size,
                     sizeof size);
    gr_findings_add(&search->outcome->findings, GR_FIND_CASE, 0, "%s%s%s", name,
                    found ? "; the smallest size tried that is wrong as well: " : "", size);
    return GRADUS_OK;
}
