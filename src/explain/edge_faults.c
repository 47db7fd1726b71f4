/* edge_faults.c: traces small launches one after another. SPDX-License-Identifier: MIT */
#include "explain/edge_faults.h"

#include "plan/launch_plan.h"
#include "core/clock.h"
#include "core/error.h"
#include "base/str.h"
#include "check/edge_shapes.h"
#include "explain/format_faults.h"
#include "explain/simulate.h"

#include <string.h>

/* The time limit for all shapes together. One shape takes a few hundredths of a second. */
static const int64_t budget_ns = 1500000000;
/* The limit for one shape. A small launch that does not terminate is reported soon, and no other
 * shape is tried then. */
static const int64_t one_ns = 1000000000 / 15;

bool gr_edges_same(const struct gr_finding *a, const struct gr_finding *b)
{
    return a->kind == b->kind && a->line == b->line && strcmp(a->about, b->about) == 0 &&
           (a->line > 0 || *a->about || a->kind == GR_FIND_DIED);
}

static bool has_same(const struct gr_findings *list, const struct gr_finding *f)
{
    for (int i = 0; i < list->count; i++)
        if (gr_edges_same(&list->items[i], f))
            return true;
    return false;
}

/* Adds the faults of one shape, with the name of the shape. */
static void take(const struct gr_explain *ask, struct gr_edge_shape shape,
                 const struct gr_findings *there, struct gr_findings *all)
{
    char size[64];
    gr_edge_name(shape, ask->variant, size);
    for (int i = 0; i < there->count; i++) {
        const struct gr_finding *f = &there->items[i];
        if (f->severity != GR_SEVERITY_FAULT || has_same(all, f))
            continue;
        struct gr_finding *added = gr_findings_add(all, f->kind, f->line, "at %s%s: %s", size,
                                                   shape.pad ? " with padded rows" : "", f->text);
        if (!added)
            continue;
        memcpy(added->about, f->about, sizeof added->about);
        added->severity = ask->variant->kernel->built_in ? f->severity : GR_SEVERITY_WARNING;
    }
}

static void report(const struct gr_explain *ask, const struct gr_device_values *device_values,
                   const struct gr_trace *traces, int count, struct gr_findings *findings)
{
    const struct gr_kernel *k = ask->variant->kernel;
    for (int i = 0; i < count; i++) {
        const struct gr_analysis_input input = {.variant = ask->variant,
                                                .problem = ask->problem,
                                                .device_values = device_values,
                                                .device = ask->device,
                                                .stanza = &k->stanzas[traces[i].stanza],
                                                .trace = &traces[i],
                                                .strict = ask->strict};
        gr_faults_format(&input, findings);
    }
    gr_unwritten_format(ask->variant, ask->problem, traces, count, findings);
}

/* Traces one shape. A shape that the kernel refuses has no findings. */
static enum gradus_status look_at(const struct gr_explain *ask,
                                  const struct gr_device_values *device_values,
                                  const struct gr_sim_built *built, struct gr_findings *findings,
                                  bool *died, struct gradus_error *error)
{
    struct gr_trace traces[GR_MAX_STANZAS];
    struct gr_plan plan = {0};
    int count = 0;
    enum gradus_status status = gr_variant_admits(ask->variant, ask->problem, device_values, error);
    if (status == GRADUS_OK)
        status = gr_plan_launches(ask->variant, ask->problem, device_values, &plan, error);
    if (status == GRADUS_OK && plan.launch_count > 0)
        status =
            gr_simulate_launches(ask, device_values, &plan, built, NULL, traces, &count, error);
    report(ask, device_values, traces, count, findings);
    *died = status == GRADUS_CRASHED || status == GRADUS_TIMED_OUT;
    if (*died)
        gr_findings_add(findings, GR_FIND_DIED, 0, "%s", error->text);
    for (int i = 0; i < count; i++)
        gr_trace_free(&traces[i]);
    if (*died || status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH) {
        gradus_error_clear(error);
        return GRADUS_OK;
    }
    return status;
}

static bool takes_scales(const struct gr_kernel *k)
{
    bool takes = false;
    for (int i = 0; i < k->stanza_count; i++)
        takes |= k->stanzas[i].signature.has_alpha || k->stanzas[i].signature.has_beta;
    return takes;
}

enum gradus_status gr_scaled_find(const struct gr_explain *ask,
                                  const struct gr_device_values *device_values,
                                  const struct gr_sim_built *built, struct gr_findings *findings,
                                  struct gradus_error *error)
{
    const struct gr_scales scales = gr_scales_distinct(ask->problem->types.acc);
    struct gr_problem problem = *ask->problem;
    struct gr_explain scaled = *ask;
    struct gr_findings there = {0};
    bool died = false;
    if (problem.beta != 0 || !takes_scales(ask->variant->kernel))
        return GRADUS_OK;
    problem.alpha = scales.alpha;
    problem.beta = scales.beta;
    scaled.problem = &problem;
    scaled.simulate_ns = ask->simulate_ns / 4;
    enum gradus_status status = look_at(&scaled, device_values, built, &there, &died, error);
    for (int i = 0; i < there.count; i++) {
        const struct gr_finding *f = &there.items[i];
        if (f->severity != GR_SEVERITY_FAULT || f->kind == GR_FIND_DIED || has_same(findings, f))
            continue;
        struct gr_finding *added =
            gr_findings_add(findings, f->kind, f->line, "with alpha %g and beta %g: %s",
                            scales.alpha, scales.beta, f->text);
        if (added)
            memcpy(added->about, f->about, sizeof added->about);
    }
    gr_findings_free(&there);
    return status;
}

enum gradus_status gr_edges_find(const struct gr_explain *ask,
                                 const struct gr_device_values *device_values,
                                 const struct gr_sim_built *built, struct gr_findings *findings,
                                 struct gradus_error *error)
{
    struct gr_edge_shape shapes[GR_EDGE_SHAPES];
    int count = gr_edge_shapes(ask->variant, shapes);
    enum gradus_status status = GRADUS_OK;
    bool died = false;
    const int64_t stop_ns = gr_now_ns() + budget_ns;
    for (int i = 0; i < count && status == GRADUS_OK && !died && gr_now_ns() < stop_ns; i++) {
        const struct gr_problem problem = gr_edge_problem(shapes[i], ask->problem);
        struct gr_explain edge = *ask;
        struct gr_findings there = {0};
        edge.problem = &problem;
        edge.simulate_ns = one_ns;
        edge.races = true; /* single-threaded: it is over before a second thread would start */
        status = look_at(&edge, device_values, built, &there, &died, error);
        take(ask, shapes[i], &there, findings);
        gr_findings_free(&there);
    }
    return status;
}
