/* grid_step.c: counts the blocks of launches for larger and larger problems.
 * SPDX-License-Identifier: MIT */
#include "explain/grid_step.h"

#include "core/error.h"
#include "plan/launch_plan.h"

#include <stdlib.h>

/* No tile is larger. */
enum { MOST = 4096 };

struct probe {
    const struct gr_variant *variant;
    const struct gr_device_values *device_values;
    const struct gr_problem *problem;
    bool along_n;
    struct gr_plan *plan; /* on the heap, since it takes more than 10 KiB */
};

/* The blocks of all launches with that extent; -1: there is no launch for it. What the kernel
 * requires of sizes is not asked for, since a grid has steps between them, too. */
static int64_t blocks_with(const struct probe *p, int64_t extent)
{
    struct gradus_error ignored = {0};
    struct gr_problem with = *p->problem;
    with = gr_problem_dense(p->along_n ? with.m : extent, p->along_n ? extent : with.n, with.k,
                            with.trans_a, with.trans_b, with.types);
    *p->plan = (struct gr_plan){0};
    const bool is_known =
        gr_plan_launches(p->variant, &with, p->device_values, p->plan, &ignored) == GRADUS_OK;
    int64_t blocks = 0;
    for (int i = 0; is_known && i < p->plan->launch_count; i++) {
        const unsigned *grid = p->plan->launches[i].grid;
        blocks += (int64_t)grid[0] * grid[1] * grid[2];
    }
    gradus_error_clear(&ignored);
    return is_known ? blocks : -1;
}

/* The largest extent from `extent` on with as many blocks; -1: there is none below `extent` + MOST.
 */
static int64_t end_of_step(const struct probe *p, int64_t extent)
{
    const int64_t blocks = blocks_with(p, extent);
    int64_t same = extent, other = extent + MOST;
    const int64_t beyond = blocks_with(p, other);
    if (blocks < 0 || beyond < 0 || beyond == blocks)
        return -1;
    while (other - same > 1) {
        const int64_t middle = same + (other - same) / 2;
        *(blocks_with(p, middle) == blocks ? &same : &other) = middle;
    }
    return same;
}

/* Does the launch follow from a search among choices? Then tiles differ from one problem to
 * another, and each search takes milliseconds. */
static bool chooses(const struct gr_kernel *k)
{
    bool any = false;
    for (int i = 0; i < k->arg_count; i++)
        any |= k->args[i].choice_count > 0;
    return any;
}

struct gr_grid_step gr_grid_step_along(const struct gr_variant *variant,
                                       const struct gr_device_values *device_values,
                                       const struct gr_problem *problem, bool along_n)
{
    struct gr_grid_step step = {0};
    const int64_t extent = along_n ? problem->n : problem->m;
    struct probe p = {variant, device_values, problem, along_n, calloc(1, sizeof *p.plan)};
    const int64_t end = p.plan && !chooses(variant->kernel) ? end_of_step(&p, extent) : -1;
    const int64_t next = end < 0 ? -1 : end_of_step(&p, end + 1);
    if (next > 0)
        step = (struct gr_grid_step){.tile = next - end, .slack = end - extent};
    free(p.plan);
    return step;
}
