/* shapes.c: verifies a kernel at other shapes than the requested one.
 * SPDX-License-Identifier: MIT */
#include "measure/verify.h"

#include "core/error.h"
#include "measure/padding.h"
#include "measure/proposal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WRONG_SHOWN = 3 };

/* A shape at which the kernel is wrong. */
struct wrong {
    struct gr_probe_shape shape;
    struct gr_problem problem;
    struct gr_scales scales;
    char reason[256];
};

struct elsewhere {
    struct gr_search search;
    char requested[64]; /* the requested size */
    struct gr_probe_shape shapes[GR_PROBE_SHAPES];
    int count;
    struct wrong wrong[MAX_WRONG_SHOWN];
    int wrong_count;
};

static void remember(struct elsewhere *e, const struct gr_probe *probe, struct gr_probe_shape shape,
                     struct gr_scales scales, const struct gr_outcome *one)
{
    if (e->wrong_count == MAX_WRONG_SHOWN)
        return;
    struct wrong *w = &e->wrong[e->wrong_count++];
    *w = (struct wrong){.shape = shape, .problem = probe->pair.problem, .scales = scales};
    memcpy(w->reason, one->reason, sizeof w->reason);
}

/* Are alpha and beta the cause? They are if the kernel is correct with those that passed at the
 * requested size, and fails again with these. If it passes the second time, the failure is
 * random, as with a race. */
static enum gradus_status is_of_scales(struct elsewhere *e, const struct gr_probe *probe,
                                       struct gr_scales scales, bool *of_scales,
                                       struct gradus_error *error)
{
    const struct gr_scales usual =
        scales.beta == 0 ? (struct gr_scales){1, 0} : e->search.scales[0];
    const struct gr_scales again[] = {usual, scales};
    enum gradus_status status = GRADUS_OK;
    *of_scales = usual.alpha != scales.alpha || usual.beta != scales.beta;
    for (int i = 0; i < 2 && *of_scales && status == GRADUS_OK; i++) {
        struct gr_outcome one = {0};
        status = gr_search_probe(&e->search, probe, again[i], &one, error);
        *of_scales = gr_outcome_is_wrong(&one) == (i == 1);
        gr_outcome_free(&one);
    }
    return status;
}

/* Takes ownership of `one`. */
static enum gradus_status record_wrong_shape(struct elsewhere *e, const struct gr_probe *probe,
                                             struct gr_probe_shape shape, struct gr_scales scales,
                                             struct gr_outcome *one, struct gradus_error *error)
{
    bool of_scales;
    enum gradus_status status = is_of_scales(e, probe, scales, &of_scales, error);
    if (status == GRADUS_OK && of_scales) {
        gr_search_mark_wrong(&e->search, one, &probe->pair.problem, scales);
        return GRADUS_OK;
    }
    if (status == GRADUS_OK)
        remember(e, probe, shape, scales, one);
    gr_outcome_free(one);
    return status;
}

/* Tries one shape with a beta that is not 0 and with a beta of 0. On the simulator, which is
 * slow, only one of them, alternating between shapes. Successive shapes use different pairs of
 * alpha and beta. */
static enum gradus_status try_shape(struct elsewhere *e, int i, struct gradus_error *error)
{
    struct gr_search *search = &e->search;
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    struct gr_problem problem = gr_probe_problem(e->shapes[i], requested);
    if (e->shapes[i].padded && !gr_padding_of(search->candidate->variant, &problem, 1, &problem))
        problem = gr_probe_problem(e->shapes[i], requested);
    const bool in_turn = search->session->backend->simulates;
    struct gr_probe probe;
    enum gradus_status status =
        gr_probe_open(search->session, search->candidate, &problem, &probe, error);
    for (int kind = 0; kind < 2 && status == GRADUS_OK; kind++) {
        struct gr_scales scales;
        struct gr_outcome one;
        if (!gr_scale_pair_in_turn(search->scales, search->scale_count, kind == 1, i, &scales) ||
            (in_turn && search->scale_count > 1 && kind != i % 2))
            continue;
        status = gr_search_probe(search, &probe, scales, &one, error);
        if (status == GRADUS_OK && gr_outcome_is_wrong(&one)) {
            status = record_wrong_shape(e, &probe, e->shapes[i], scales, &one, error);
            break;
        }
        gr_outcome_free(&one);
    }
    gr_probe_close(&probe);
    return status;
}

/* A fault that does not occur at multiples of the tile, because the kernel does not handle
 * partial tiles; a `require` excludes it. */
static bool is_of_edges(const struct gr_finding *f)
{
    return f->kind == GR_FIND_BOUNDS || f->kind == GR_FIND_ALIGNMENT ||
           f->kind == GR_FIND_UNWRITTEN;
}

/* On the simulator: adds the faults at the first wrong shape as findings with its size, and
 * decides whether a `require` may be proposed. It may not if the fault also occurs at the
 * requested size, or is of another kind than an edge fault. */
static enum gradus_status find_cause(struct elsewhere *e, struct gr_findings *reported,
                                     bool *by_edges, struct gradus_error *error)
{
    struct gr_session *s = e->search.session;
    const struct gr_problem *requested = &s->pairs[0].problem;
    struct gr_findings here = {0};
    const struct gr_row_tracing tracing = gr_session_tracing(s);
    enum gradus_status status = gr_search_faults(&e->search, &e->wrong[0].problem, reported, error);
    if (status == GRADUS_OK && reported->count > 0)
        status =
            gr_row_trace_faults(&tracing, e->search.candidate->variant, requested, &here, error);
    *by_edges = here.count == 0;
    for (int i = 0; i < reported->count; i++)
        *by_edges &= is_of_edges(&reported->items[i]);
    gr_findings_free(&here);
    return status;
}

/* Rounding to the sizes that `require` allows may make two shapes equal. */
static bool named_before(const struct elsewhere *e, int i)
{
    const struct gr_problem *p = &e->wrong[i].problem;
    for (int j = 0; j < i; j++) {
        const struct gr_problem *q = &e->wrong[j].problem;
        if (p->m == q->m && p->n == q->n && p->k == q->k && p->lda == q->lda && p->ldb == q->ldb &&
            p->ldc == q->ldc)
            return true;
    }
    return false;
}

/* "63x65x64, 2x3x5 (padded ld)" */
static void name_shapes(const struct elsewhere *e, char *text, size_t size)
{
    *text = 0;
    for (int i = 0; i < e->wrong_count; i++) {
        const struct gr_problem *p = &e->wrong[i].problem;
        const bool mirrored =
            e->search.candidate->variant && e->search.candidate->variant->kernel->mirrored;
        const size_t used = strlen(text);
        char name[64];
        if (named_before(e, i))
            continue;
        gr_size_name(mirrored ? p->n : p->m, mirrored ? p->m : p->n, p->k, name, sizeof name);
        snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", name,
                 gr_probe_is_dense(p) ? "" : " (padded ld)");
    }
}

/* Marks the row as wrong. `remedy` is empty, or what can be added to the file. */
static void mark_wrong(struct elsewhere *e, const char *shapes, const char *remedy)
{
    struct gr_outcome *outcome = e->search.outcome;
    char name[160];
    gr_probe_name(e->search.candidate->variant, &e->wrong[0].problem, e->wrong[0].scales, name);
    outcome->verdict = GR_WRONG;
    gr_search_reason(e->wrong[0].reason, name, outcome->reason);
    struct gr_finding *shape = gr_findings_add(
        &outcome->findings, GR_FIND_SHAPE, 0, "right at %s; wrong at %s%s%s", e->requested, shapes,
        *remedy ? "; if it is not meant for that: //@ require " : "", remedy);
    if (shape)
        shape->severity = GR_SEVERITY_FAULT;
}

static bool tried_before(const struct elsewhere *e, int i)
{
    const struct gr_probe_shape *x = &e->shapes[i];
    for (int j = 0; j < i; j++) {
        const struct gr_probe_shape *y = &e->shapes[j];
        if (x->m == y->m && x->n == y->n && x->k == y->k && x->padded == y->padded)
            return true;
    }
    return false;
}

/* A kernel without parameters for M, N and K has its sizes hard-coded, so that failing at other
 * sizes is expected. So has a launch that is right at the requested size, and was at none of those
 * that were tried before. */
static bool is_told_sizes(const struct gr_variant *variant)
{
    bool reported[3] = {false};
    const char *origin = variant->kernel->launch_origin;
    if (origin && strstr(origin, "(not confirmed"))
        return false;
    for (int s = 0; s < variant->kernel->stanza_count; s++) {
        const struct gr_signature *signature = &variant->kernel->stanzas[s].signature;
        for (int i = 0; i < signature->count; i++) {
            const enum gr_role role = signature->parameters[i].role;
            for (int d = 0; d < 3; d++)
                reported[d] |= role == GR_ROLE_M + (enum gr_role)d;
        }
    }
    return reported[0] && reported[1] && reported[2];
}

/* Rounded to whole tiles, a shape that is long in one dimension may be too much work. */
static const double most_further = 0x1p23;

/* After the first wrong shapes: looks for another that the proposal does not exclude, and puts
 * the first such shape in their place. */
static enum gradus_status look_further(struct elsewhere *e, int from,
                                       const struct gr_proposal *proposal, bool *explained,
                                       struct gradus_error *error)
{
    *explained = true;
    for (int i = 0; i < e->wrong_count; i++) {
        if (gr_proposal_excludes(proposal, e->wrong[i].shape))
            continue;
        e->wrong[0] = e->wrong[i];
        e->wrong_count = 1;
        *explained = false;
        return GRADUS_OK;
    }
    const struct wrong first = e->wrong[0];
    const int count = e->wrong_count;
    for (int i = 0; i < e->count; i++) {
        const bool excluded = gr_proposal_excludes(proposal, e->shapes[i]);
        if (excluded)
            gr_proposal_round(proposal, &e->shapes[i]);
        const struct gr_probe_shape *x = &e->shapes[i];
        if ((i < from && !excluded) || tried_before(e, i) ||
            (double)x->m * (double)x->n * (double)x->k > most_further)
            continue;
        e->wrong_count = 0;
        enum gradus_status status = try_shape(e, i, error);
        if (status != GRADUS_OK || e->search.outcome->verdict != GR_RIGHT)
            return status;
        *explained = e->wrong_count == 0;
        if (!*explained)
            return GRADUS_OK;
    }
    e->wrong[0] = first;
    e->wrong_count = count;
    return GRADUS_OK;
}

static void put_cause(struct elsewhere *e, const struct gr_findings *cause)
{
    for (int i = 0; i < cause->count; i++)
        gr_findings_copy(&e->search.outcome->findings, &cause->items[i]);
}

/* The kernel is correct if a `require` with multiples holds: its author left that line out, so a
 * warning proposes it. */
static void warn(struct elsewhere *e, const struct gr_proposal *proposal, const char *shapes,
                 const struct gr_findings *cause, bool by_edges)
{
    char require[160] = "";
    bool empty = false;
    for (int i = 0; i < e->wrong_count; i++)
        empty |= e->wrong[i].shape.k == 0;
    if (by_edges)
        gr_proposal_text(&e->search, proposal, empty, require);
    gr_findings_add(&e->search.outcome->findings, GR_FIND_SHAPE, 0,
                    "right at %s; wrong at %s (%s)%s%s%s", e->requested, shapes, e->wrong[0].reason,
                    cause->count == 0 ? *require ? ": " : ""
                    : *require        ? ": fix what is reported below, or exclude such sizes: "
                                      : ": fix what is reported below",
                    *require ? "//@ require " : "", require);
}

/* "bounds, line 8" */
static void name_cause(const struct gr_finding *cause, char *text, size_t size)
{
    if (cause->line > 0)
        snprintf(text, size, "%s, line %d", gr_finding_name(cause->kind), cause->line);
    else
        snprintf(text, size, "%s", gr_finding_name(cause->kind));
}

/* Does a finding say itself which sizes to exclude, as one of a tile that leaves an array does? */
static bool says_what_to_exclude(const struct gr_findings *cause)
{
    bool says = false;
    for (int i = 0; i < cause->count; i++)
        says |= strstr(cause->items[i].text, "//@ require ") != NULL;
    return says;
}

/* Reports the wrong shapes found so far; those from `from` on have not been tried. */
static enum gradus_status report(struct elsewhere *e, int from, struct gradus_error *error)
{
    struct gr_search *search = &e->search;
    const struct gr_variant *variant = search->candidate->variant;
    struct gr_proposal proposal = {{1, 1, 1}, 1};
    struct gr_findings cause = {0};
    char shapes[160], remedy[160] = "";
    bool by_edges = true, explained = false, padded = false;
    name_shapes(e, shapes, sizeof shapes);
    for (int i = 0; i < e->wrong_count; i++)
        padded |= e->wrong[i].shape.padded;
    enum gradus_status status = find_cause(e, &cause, &by_edges, error);
    if (cause.count > 0)
        name_cause(&cause.items[0], e->wrong[0].reason, sizeof e->wrong[0].reason);
    const bool ours = !variant || variant->kernel->built_in;
    const bool other = !ours && (!by_edges || !is_told_sizes(variant)); /* nothing to propose */
    if (status == GRADUS_OK && !ours && !other)
        status = gr_proposal_find(search, padded, &proposal, error);
    if (status == GRADUS_OK && !ours && !other)
        status = look_further(e, from, &proposal, &explained, error);
    explained |= other;
    if (status == GRADUS_OK && !ours && !explained && search->outcome->verdict == GR_RIGHT) {
        name_shapes(e, shapes, sizeof shapes);
        if (!says_what_to_exclude(&cause))
            status = gr_proposal_remedy(search, &proposal, e->wrong[0].shape, remedy, error);
    }
    if (status == GRADUS_OK && search->outcome->verdict == GR_RIGHT && explained)
        warn(e, &proposal, shapes, &cause, by_edges);
    else if (status == GRADUS_OK && search->outcome->verdict == GR_RIGHT)
        mark_wrong(e, shapes, remedy);
    put_cause(e, &cause);
    gr_findings_free(&cause);
    return status;
}

enum gradus_status gr_verify_shapes(struct gr_session *s, const struct gr_candidate *candidate,
                                    struct gr_outcome *outcome, struct gradus_error *error)
{
    struct elsewhere e = {.search = gr_search_begin(s, candidate, outcome)};
    const struct gr_problem *p = &s->pairs[0].problem;
    const bool mirrored = candidate->variant && candidate->variant->kernel->mirrored;
    gr_size_name(mirrored ? p->n : p->m, mirrored ? p->m : p->n, p->k, e.requested,
                 sizeof e.requested);
    e.count = gr_probe_shapes(candidate->variant, p, s->backend->simulates, e.shapes);
    int i = 0;
    while (i < e.count && e.wrong_count < MAX_WRONG_SHOWN) {
        enum gradus_status status = try_shape(&e, i++, error);
        if (status != GRADUS_OK || outcome->verdict != GR_RIGHT)
            return status;
    }
    return e.wrong_count == 0 ? GRADUS_OK : report(&e, i, error);
}
