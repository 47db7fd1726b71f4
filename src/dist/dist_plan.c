/* dist_plan.c: searches for the best grid. SPDX-License-Identifier: MIT
 *
 * All grids are searched. Two things make this fast for a million ranks. Of the numbers of parts
 * that give a dimension the same largest part, only the smallest is tried. And a pair pm x pn is
 * abandoned as soon as its lower bound of the time is above the best plan so far, which is first
 * sought among a few hundred grids near the optimum of real numbers. */
#include "dist/dist_plan.h"

#include "core/error.h"
#include "dist/dist_cost.h"

#include <inttypes.h>
#include <math.h>

struct search {
    const struct gr_dist_problem *problem;
    const struct gr_dist_machine *machine;
    struct gr_dist_plan *best;
    bool found, dense;
    int64_t least_bytes;
};

static void try_grid(struct search *s, int64_t pm, int64_t pn, int64_t pk)
{
    const int64_t grid[3] = {pm, pn, pk};
    struct gr_dist_plan plan;
    if (gr_dist_cost(s->problem, s->machine, grid, &plan, &s->least_bytes) &&
        (!s->found || gr_dist_better(&plan, s->best))) {
        *s->best = plan;
        s->found = true;
    }
}

/* The bytes of A, B and C together. */
static double total_bytes(const struct gr_dist_problem *p)
{
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return (m * k + k * n + m * n) * (double)p->element_bytes;
}

/* Returns false if an average part does not fit in a rank's memory. */
static bool may_fit(const struct search *s, int64_t ranks)
{
    const double memory = (double)s->machine->memory_bytes;
    return memory <= 0 || total_bytes(s->problem) / (double)ranks <= memory;
}

/* Can no plan with this grid be better than the best so far? Not `exact`: nor one with a smaller
 * pk. */
static bool hopeless(const struct search *s, int64_t pm, int64_t pn, int64_t pk, bool exact)
{
    const int64_t grid[3] = {pm, pn, pk};
    return !may_fit(s, pm * pn * pk) ||
           (s->found && gr_dist_least_time(s->problem, s->machine, grid, exact) > s->best->time_s);
}

/* Tries grids near those with blocks as square as the ranks allow, one for each power of two as
 * pk. */
static void try_near_optimum(struct search *s)
{
    const int64_t m = s->problem->m, n = s->problem->n, k = s->problem->k;
    const int64_t ranks = s->machine->ranks;
    for (int64_t k_parts = 1; k_parts <= ranks; k_parts *= 2) {
        const int64_t pk = gr_dist_fewest_parts(k, k_parts);
        const double plane = (double)(ranks / pk);
        const double ideal = n > 0 ? sqrt(plane * (double)m / (double)n) : 1;
        for (int64_t step = -1; step <= 1; step++) {
            int64_t pm = (int64_t)fmin(fmax(ideal + (double)step, 1), plane);
            pm = gr_dist_fewest_parts(m, pm);
            try_grid(s, pm, gr_dist_fewest_parts(n, ranks / pk / pm), pk);
        }
    }
}

/* The fewest parts whose largest is that of `parts`, and the next number of parts with a smaller
 * largest one (or a number above `limit`). With `dense`, every number of parts is tried. */
static int64_t fewest(const struct search *s, int64_t size, int64_t parts)
{
    return s->dense ? parts : gr_dist_fewest_parts(size, parts);
}

static int64_t next_parts(const struct search *s, int64_t size, int64_t parts, int64_t limit)
{
    if (s->dense)
        return parts + 1;
    const int64_t part = size > 0 ? (size + parts - 1) / parts : 1;
    return part <= 1 ? limit + 1 : (size + part - 2) / (part - 1);
}

/* Tries all numbers of parts of k for a pair. As they become fewer, the lower bound only rises. */
static void try_pair(struct search *s, int64_t pm, int64_t pn)
{
    const int64_t k = s->problem->k;
    int64_t pk = fewest(s, k, s->machine->ranks / (pm * pn));
    while (!hopeless(s, pm, pn, pk, false)) {
        if (!hopeless(s, pm, pn, pk, true))
            try_grid(s, pm, pn, pk);
        if (pk == 1)
            break;
        pk = fewest(s, k, pk - 1);
    }
}

static void try_all(struct search *s)
{
    const int64_t m = s->problem->m, n = s->problem->n, ranks = s->machine->ranks;
    for (int64_t pm = 1; pm <= ranks; pm = next_parts(s, m, pm, ranks))
        for (int64_t pn = 1; pn <= ranks / pm; pn = next_parts(s, n, pn, ranks / pm))
            try_pair(s, pm, pn);
}

static enum gradus_status check_problem(const struct gr_dist_problem *p, struct gradus_error *error)
{
    const int64_t size[3] = {p->m, p->n, p->k};
    for (int d = 0; d < 3; d++)
        if (size[d] < 0 || size[d] > (int64_t)1 << 40)
            return gr_fail(error, GRADUS_INVALID, "plan: %c: found %" PRId64 ", wanted 0 to 2^40",
                           "mnk"[d], size[d]);
    if (p->element_bytes < 1 || p->element_bytes > 16)
        return gr_fail(error, GRADUS_INVALID,
                       "plan: element size: found %" PRId64 ", wanted 1 to 16 bytes",
                       p->element_bytes);
    if (total_bytes(p) > 0x1p60)
        return gr_fail(error, GRADUS_INVALID,
                       "plan: %" PRId64 "x%" PRId64 "x%" PRId64
                       ": the matrices have more than 2^60 bytes; choose smaller sizes",
                       p->m, p->n, p->k);
    return GRADUS_OK;
}

static enum gradus_status check_machine(const struct gr_dist_machine *machine,
                                        struct gradus_error *error)
{
    if (machine->ranks < 1 || machine->ranks > GR_DIST_RANKS_MAX)
        return gr_fail(error, GRADUS_INVALID, "plan: ranks: found %" PRId64 ", wanted 1 to %d",
                       machine->ranks, GR_DIST_RANKS_MAX);
    const double rates[] = {machine->flop_per_s, machine->memory_bytes_per_s,
                            machine->link_bytes_per_s};
    for (int i = 0; i < 3; i++)
        if (!(rates[i] > 0) || !isfinite(rates[i]))
            return gr_fail(error, GRADUS_INVALID, "plan: a rate: found %g, wanted more than 0",
                           rates[i]);
    if (!(machine->carrier_s >= 0) || !(machine->carried >= 0) || !(machine->carried <= 1))
        return gr_fail(error, GRADUS_INVALID,
                       "plan: carrying: found %g s and a part of %g, wanted 0 or more and 0 to 1",
                       machine->carrier_s, machine->carried);
    if (!(machine->latency_s >= 0) || !isfinite(machine->latency_s) || machine->memory_bytes < 0)
        return gr_fail(error, GRADUS_INVALID,
                       "plan: latency or memory: found %g s, %" PRId64 " bytes, wanted 0 or more",
                       machine->latency_s, machine->memory_bytes);
    return GRADUS_OK;
}

/* Fills in what follows from the grid: efficiency and bound. */
static void complete(struct gr_dist_plan *plan, const struct gr_dist_machine *machine)
{
    const struct gr_dist_problem *p = &plan->problem;
    const double flop = 2 * (double)p->m * (double)p->n * (double)p->k;
    const double rate = machine->flop_per_s * (double)machine->ranks;
    plan->efficiency = plan->time_s > 0 ? flop / (rate * plan->time_s) : 0;
    plan->bound = gr_dist_bound(p, plan->ranks, machine->memory_bytes / p->element_bytes);
}

static enum gradus_status no_memory(const struct gr_dist_problem *p,
                                    const struct gr_dist_machine *machine, int64_t least_bytes,
                                    struct gradus_error *error)
{
    const double share = total_bytes(p) / (double)machine->ranks;
    const double least = least_bytes < INT64_MAX ? (double)least_bytes : share;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "plan: %" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64
                   " ranks takes %s%.4g bytes on each, found %" PRId64 "; add ranks or memory",
                   p->m, p->n, p->k, machine->ranks, least_bytes < INT64_MAX ? "" : "more than ",
                   least, machine->memory_bytes);
}

enum gradus_status gr_dist_plan(const struct gr_dist_problem *problem,
                                const struct gr_dist_machine *machine, struct gr_dist_plan *plan,
                                struct gradus_error *error)
{
    enum gradus_status status = check_problem(problem, error);
    if (status == GRADUS_OK)
        status = check_machine(machine, error);
    if (status != GRADUS_OK)
        return status;
    struct search s = {
        .problem = problem, .machine = machine, .best = plan, .least_bytes = INT64_MAX};
    if (may_fit(&s, machine->ranks)) {
        try_near_optimum(&s);
        try_all(&s);
        s.dense = !s.found; /* more ranks have smaller shares, even if the largest parts are of the
                               same size */
        if (s.dense)
            try_all(&s);
    }
    if (!s.found)
        return no_memory(problem, machine, s.least_bytes, error);
    complete(plan, machine);
    return GRADUS_OK;
}

enum gradus_status gr_dist_plan_grid(const struct gr_dist_problem *problem,
                                     const struct gr_dist_machine *machine, const int64_t grid[3],
                                     struct gr_dist_plan *plan, struct gradus_error *error)
{
    enum gradus_status status = check_problem(problem, error);
    if (status == GRADUS_OK)
        status = check_machine(machine, error);
    if (status != GRADUS_OK)
        return status;
    const int64_t ranks = machine->ranks, m = grid[0], n = grid[1], k = grid[2];
    if (m < 1 || n < 1 || k < 1 || m > ranks || n > ranks / m || k > ranks / m / n)
        return gr_fail(error, GRADUS_INVALID,
                       "plan: grid: found %" PRId64 "x%" PRId64 "x%" PRId64
                       ", wanted at most %" PRId64 " ranks",
                       m, n, k, ranks);
    int64_t least_bytes = INT64_MAX;
    if (!gr_dist_cost(problem, machine, grid, plan, &least_bytes))
        return no_memory(problem, machine, least_bytes, error);
    complete(plan, machine);
    return GRADUS_OK;
}

const char *gr_dist_plan_kind(const struct gr_dist_plan *plan)
{
    const int64_t *const g = plan->grid;
    const int above = (g[0] > 1) + (g[1] > 1) + (g[2] > 1);
    if (above == 0)
        return "one rank";
    if (above == 1)
        return g[2] > 1 ? "1D, reduce-scatter" : "1D, all-gather";
    if (g[2] == 1)
        return "2D (SUMMA)";
    if (above == 2)
        return "2D with a split k";
    return g[2] < g[0] && g[2] < g[1] ? "2.5D" : "3D";
}
