/* global_races.c: chooses the size at which the search for races through global memory traces the
 * kernel. SPDX-License-Identifier: MIT */
#include "explain/global_races.h"

#include "plan/launch_plan.h"
#include "core/error.h"
#include "base/str.h"
#include "explain/format_faults.h"
#include "explain/grid_step.h"
#include "explain/simulate.h"

#include <stdlib.h>
#include <string.h>

/* With more multiply-adds than this the trace would take seconds. */
static const double most_work = 1 << 26;
static const int64_t limit_ns = 200000000;
/* A dimension of such an extent is rather traced as a whole than shortened to another part of a
 * tile. */
static const int64_t most_whole = 256;

/* ---- The size. ---- */

/* A smaller extent with the same remainder, so that a `require` that accepts the requested size
 * accepts this one. */
static int64_t shortened(int64_t extent, int64_t unit)
{
    return extent >= 2 * unit ? extent % unit + unit : extent;
}

static struct gr_problem resized(const struct gr_problem *like, int64_t m, int64_t n, int64_t k)
{
    struct gr_problem p = gr_problem_dense(m, n, k, like->trans_a, like->trans_b, like->types);
    const struct gr_problem dense =
        gr_problem_dense(like->m, like->n, like->k, like->trans_a, like->trans_b, like->types);
    p.lda += like->lda - dense.lda;
    p.ldb += like->ldb - dense.ldb;
    p.ldc += like->ldc - dense.ldc;
    p.alpha = like->alpha;
    p.beta = like->beta;
    return p;
}

static bool plan_for(const struct gr_explain *ask, const struct gr_device_values *device_values,
                     const struct gr_problem *p, struct gr_plan *plan)
{
    struct gradus_error ignored = {0};
    bool fits = gr_variant_admits(ask->variant, p, device_values, &ignored) == GRADUS_OK &&
                gr_plan_launches(ask->variant, p, device_values, plan, &ignored) == GRADUS_OK &&
                plan->launch_count > 0;
    gradus_error_clear(&ignored);
    return fits;
}

static int64_t blocks_of(const struct gr_plan_launch *l)
{
    return (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* Does each dimension of the grid that had several blocks still have neighbouring ones? */
static bool has_neighbours(const struct gr_plan *plan, const struct gr_plan *whole)
{
    const int64_t few = 4;
    for (int i = 0; i < plan->launch_count && i < whole->launch_count; i++) {
        const struct gr_plan_launch *l = &plan->launches[i], *w = &whole->launches[i];
        for (int axis = 0; axis < 3; axis++)
            if (l->grid[axis] < 2 && w->grid[axis] >= 2)
                return false;
        if (blocks_of(l) < few && blocks_of(l) < blocks_of(w))
            return false;
    }
    return plan->launch_count == whole->launch_count;
}

/* Does each launch whose grid grows from `least` to `whole` have at least two slices? */
static bool has_slices(const struct gr_plan *plan, const struct gr_plan *least,
                       const struct gr_plan *whole)
{
    for (int i = 0; i < plan->launch_count; i++)
        if (blocks_of(&whole->launches[i]) > blocks_of(&least->launches[i]) &&
            blocks_of(&plan->launches[i]) < 2 * blocks_of(&least->launches[i]))
            return false;
    return true;
}

/* These are allocated on the heap: a plan takes more than 10 KiB, and several do not fit on a small
 * stack. */
struct plans {
    struct gr_plan whole, least, plan;
};

static struct gr_problem with_short_k(const struct gr_explain *ask,
                                      const struct gr_device_values *device_values,
                                      const struct gr_problem *from, struct plans *plans)
{
    struct gr_plan *whole = &plans->whole, *least = &plans->least, *plan = &plans->plan;
    bool known = false;
    if (!plan_for(ask, device_values, from, whole))
        return *from;
    for (int64_t unit = 256; 2 * unit <= from->k; unit *= 2) {
        struct gr_problem p = resized(ask->problem, from->m, from->n, shortened(from->k, unit));
        if (!plan_for(ask, device_values, &p, plan) || plan->launch_count != whole->launch_count)
            continue;
        if (!known)
            *least = *plan;
        known = true;
        if (has_slices(plan, least, whole))
            return p;
    }
    return *from;
}

/* Is the last tile as full as that of the requested problem? A kernel of whole tiles runs over into
 * the next row where it is not. */
static bool ends_alike(const struct gr_explain *ask, const struct gr_device_values *device_values,
                       const struct gr_problem *p, bool along_n, struct gr_grid_step requested)
{
    return requested.tile == 0 ||
           gr_grid_step_along(ask->variant, device_values, p, along_n).slack == requested.slack;
}

/* The n-th problem to try, which is shorter along M or N; the lengths are in ascending order first,
 * of powers of two, then of tiles. False: there are no more. */
static bool nth_shorter(const struct gr_explain *ask, const struct gr_problem *chosen, bool along_n,
                        int64_t tile, int n, struct gr_problem *p)
{
    enum { UNITS = 7, TILES = 4 }; /* 64 to 4096 */
    const struct gr_problem *requested = ask->problem;
    const int64_t extent = along_n ? requested->n : requested->m;
    if (n >= UNITS + (tile ? TILES : 0))
        return false;
    const int64_t whole = n < UNITS ? 0 : (extent - 1) % tile + 1 + (n - UNITS + 1) * tile;
    const int64_t shorter = n < UNITS        ? shortened(extent, (int64_t)64 << n)
                            : whole < extent ? whole
                                             : extent;
    *p = along_n ? resized(requested, chosen->m, shorter, requested->k)
                 : resized(requested, shorter, chosen->n, requested->k);
    return true;
}

static struct gr_problem with_few_blocks(const struct gr_explain *ask,
                                         const struct gr_device_values *device_values,
                                         struct plans *plans)
{
    const struct gr_problem *requested = ask->problem;
    struct gr_problem chosen = *requested;
    for (int along_n = 1; along_n >= 0; along_n--) {
        const struct gr_grid_step step =
            gr_grid_step_along(ask->variant, device_values, requested, along_n);
        struct gr_problem p, fallback = chosen;
        bool found = false, has_fallback = false;
        const int64_t extent = along_n ? requested->n : requested->m;
        for (int n = 0; !found && nth_shorter(ask, &chosen, along_n, step.tile, n, &p); n++) {
            if (!plan_for(ask, device_values, &p, &plans->plan) ||
                !has_neighbours(&plans->plan, &plans->whole))
                continue;
            const bool is_whole = (along_n ? p.n : p.m) == extent;
            found = is_whole ? !has_fallback || extent <= most_whole
                             : ends_alike(ask, device_values, &p, along_n, step);
            if (!found && !has_fallback)
                fallback = p;
            has_fallback = true;
        }
        chosen = found ? p : fallback;
    }
    return chosen;
}

struct gr_problem gr_races_problem(const struct gr_explain *ask,
                                   const struct gr_device_values *device_values)
{
    struct gr_problem chosen = *ask->problem;
    struct plans *plans = calloc(1, sizeof *plans);
    if (plans && plan_for(ask, device_values, ask->problem, &plans->whole)) {
        chosen = with_few_blocks(ask, device_values, plans);
        chosen = with_short_k(ask, device_values, &chosen, plans);
    }
    free(plans);
    return chosen;
}

bool gr_races_in_own_trace(const struct gr_explain *ask, const struct gr_problem *p)
{
    return p->m == ask->problem->m && p->n == ask->problem->n && p->k == ask->problem->k;
}

/* ---- Results. ---- */

static bool is_global(const struct gr_trace *trace, const char *array)
{
    for (int i = 0; i < trace->array_count; i++)
        if (trace->arrays[i].space == GR_SPACE_GLOBAL && strcmp(trace->arrays[i].name, array) == 0)
            return true;
    return false;
}

/* Does the kernel leave an array? Then its tiles are larger than this problem, and what runs over
 * into the next row is written there twice. */
static bool leaves_arrays(const struct gr_trace *trace)
{
    for (int i = 0; i < trace->fault_count; i++)
        if (trace->faults[i].kind == GR_FIND_BOUNDS && is_global(trace, trace->faults[i].array))
            return true;
    return false;
}

/* Removes all other faults, because they may occur at this size only. */
static void keep_races(struct gr_trace *trace)
{
    int kept = 0;
    bool *keep = calloc((size_t)trace->fault_count + 1, sizeof *keep);
    for (int i = 0; keep && i < trace->fault_count; i++)
        keep[i] = trace->faults[i].kind == GR_FIND_RACE && is_global(trace, trace->faults[i].array);
    for (int i = 0; keep && i < trace->fault_count; i++)
        if (keep[i])
            trace->faults[kept++] = trace->faults[i];
    trace->fault_count = kept;
    free(keep);
}

/* `is_small`: the kernel leaves its arrays at this size, so that a race may be of this size only.
 */
static void report(const struct gr_explain *ask, const struct gr_device_values *device_values,
                   struct gr_trace *trace, bool is_small, struct gr_findings *findings)
{
    const struct gr_problem *p = ask->problem;
    const bool mirrored = ask->variant->kernel->mirrored;
    char size[64];
    struct gr_findings there = {0};
    const struct gr_analysis_input input = {.variant = ask->variant,
                                            .problem = p,
                                            .device_values = device_values,
                                            .device = ask->device,
                                            .stanza = &ask->variant->kernel->stanzas[trace->stanza],
                                            .trace = trace,
                                            .strict = ask->strict};
    keep_races(trace);
    gr_faults_format(&input, &there);
    gr_size_name(mirrored ? p->n : p->m, mirrored ? p->m : p->n, p->k, size, sizeof size);
    for (int i = 0; i < there.count; i++) {
        const struct gr_finding *f = &there.items[i];
        struct gr_finding *added =
            gr_findings_add(findings, f->kind, f->line, "at %s: %s", size, f->text);
        if (!added)
            continue;
        memcpy(added->about, f->about, sizeof added->about);
        added->severity =
            is_small && f->severity == GR_SEVERITY_FAULT ? GR_SEVERITY_WARNING : f->severity;
    }
    gr_findings_free(&there);
}

/* What one trace of the small problem showed. */
struct tracing {
    struct gr_trace traces[GR_MAX_STANZAS];
    int count;
    bool leaves; /* the kernel leaves an array */
};

static void forget(struct tracing *t)
{
    for (int i = 0; i < t->count; i++)
        gr_trace_free(&t->traces[i]);
    t->count = 0;
    t->leaves = false;
}

static enum gradus_status trace_small(const struct gr_explain *small,
                                      const struct gr_device_values *device_values,
                                      const struct gr_sim_built *built, struct tracing *t,
                                      struct gradus_error *error)
{
    struct gr_plan *plan = calloc(1, sizeof *plan);
    enum gradus_status status = GRADUS_OK;
    if (plan && plan_for(small, device_values, small->problem, plan))
        status = gr_simulate_launches(small, device_values, plan, built, NULL, t->traces, &t->count,
                                      error);
    for (int i = 0; i < t->count; i++)
        t->leaves |= leaves_arrays(&t->traces[i]);
    free(plan);
    return status;
}

/* The next larger problem, for tiles of `unit`; false: it is not larger, or too large to trace. */
static bool enlarge(const struct gr_explain *ask, int64_t unit, struct gr_problem *p)
{
    const struct gr_problem *requested = ask->problem;
    const int64_t m = shortened(requested->m, unit), n = shortened(requested->n, unit);
    const struct gr_problem larger =
        resized(requested, m > p->m ? m : p->m, n > p->n ? n : p->n, p->k);
    const bool grows = larger.m > p->m || larger.n > p->n;
    if (!grows || (double)larger.m * (double)larger.n * (double)larger.k > most_work)
        return false;
    *p = larger;
    return true;
}

enum gradus_status gr_races_find(const struct gr_explain *ask,
                                 const struct gr_device_values *device_values,
                                 const struct gr_problem *problem, const struct gr_sim_built *built,
                                 struct gr_findings *findings, struct gradus_error *error)
{
    const int64_t least_unit = 128, most_unit = 512;
    struct gr_explain small = *ask;
    struct gr_problem p = *problem;
    if ((double)p.m * (double)p.n * (double)p.k > most_work)
        return GRADUS_OK;
    struct tracing *t = calloc(1, sizeof *t);
    if (!t)
        return gr_fail_memory(error, "traces", sizeof *t);
    small.problem = &p;
    small.simulate_ns = limit_ns;
    small.races = true;
    enum gradus_status status = trace_small(&small, device_values, built, t, error);
    for (int64_t unit = least_unit; status == GRADUS_OK && t->leaves && unit <= most_unit;
         unit *= 2) {
        if (!enlarge(ask, unit, &p))
            continue;
        forget(t);
        status = trace_small(&small, device_values, built, t, error);
    }
    for (int i = 0; i < t->count; i++)
        report(&small, device_values, &t->traces[i], t->leaves, findings);
    forget(t);
    free(t);
    /* A crash or a time-out here is reported at the requested size or at the edges. */
    if (status != GRADUS_CRASHED && status != GRADUS_TIMED_OUT && status != GRADUS_UNSUPPORTED &&
        status != GRADUS_LAUNCH)
        return status;
    gradus_error_clear(error);
    return GRADUS_OK;
}
