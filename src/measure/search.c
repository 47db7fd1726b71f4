/* search.c: runs one GEMM of a search, and marks the row as wrong because of it.
 * SPDX-License-Identifier: MIT */
#include "measure/search.h"

#include "core/error.h"
#include "check/edge_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct gr_search gr_search_begin(struct gr_session *s, const struct gr_candidate *candidate,
                                 struct gr_outcome *outcome)
{
    struct gr_search search = {.session = s, .candidate = candidate, .outcome = outcome};
    search.scale_count = gr_scale_pairs(candidate->variant, &s->pairs[0].problem, search.scales);
    search.ignore_nan_c = gr_findings_has(&outcome->findings, GR_FIND_READS_C_AT_BETA_0);
    return search;
}

bool gr_search_is_strict(const struct gr_search *search)
{
    const struct gr_variant *variant = search->candidate->variant;
    return search->session->options.strict || (variant && variant->kernel->built_in);
}

bool gr_outcome_is_wrong(const struct gr_outcome *outcome)
{
    return outcome->verdict != GR_RIGHT && outcome->verdict != GR_REFUSED;
}

static void tell_reads_c(struct gr_search *search, const struct gr_trial *trial)
{
    char name[160];
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    const struct gr_problem *p = &trial->pair->problem;
    const bool elsewhere = p->m != requested->m || p->n != requested->n || p->k != requested->k;
    gr_probe_name(search->candidate->variant, p, (struct gr_scales){trial->alpha, trial->beta},
                  name);
    search->ignore_nan_c = true;
    if (!gr_findings_has(&search->outcome->findings, GR_FIND_READS_C_AT_BETA_0))
        gr_findings_add(&search->outcome->findings, GR_FIND_READS_C_AT_BETA_0, 0,
                        "reads C when beta is 0: a NaN in C reaches the result%s%s",
                        elsewhere ? " at " : "", elsewhere ? name : "");
}

/* Can the NaN in C be the only cause? They cannot if an element was left unwritten. */
static bool may_be_nan_alone(const struct gr_outcome *one)
{
    return one->verdict == GR_WRONG && !gr_findings_has(&one->findings, GR_FIND_UNWRITTEN) &&
           (!one->check.worst.known || isnan(one->check.worst.got));
}

enum gradus_status gr_search_try(struct gr_search *search, const struct gr_trial *trial,
                                 struct gr_outcome *one, struct gradus_error *error)
{
    struct gr_trial with_nan = *trial;
    with_nan.c_start = trial->beta == 0 && !search->ignore_nan_c ? GR_C_NAN : GR_C_FINITE;
    enum gradus_status status = gr_trial_run(search->session, &with_nan, one, error);
    if (status != GRADUS_OK || with_nan.c_start != GR_C_NAN || !may_be_nan_alone(one) ||
        gr_search_is_strict(search))
        return status;
    struct gr_trial finite = *trial;
    finite.c_start = GR_C_FINITE;
    gr_outcome_free(one);
    status = gr_trial_run(search->session, &finite, one, error);
    if (status == GRADUS_OK && one->verdict == GR_RIGHT)
        tell_reads_c(search, trial);
    return status;
}

enum gradus_status gr_search_probe(struct gr_search *search, const struct gr_probe *probe,
                                   struct gr_scales scales, struct gr_outcome *one,
                                   struct gradus_error *error)
{
    const struct gr_trial trial = {.candidate = *probe->candidate,
                                   .pair = &probe->pair,
                                   .alpha = scales.alpha,
                                   .beta = scales.beta,
                                   .quick = true,
                                   .limit_ns = search->session->options.time_limit_ns};
    struct gradus_error why = {0};
    enum gradus_status status = gr_search_try(search, &trial, one, &why);
    if (status == GRADUS_INVALID) { /* an expression of the file has no value at this shape */
        one->verdict = GR_REFUSED;
        status = GRADUS_OK;
    } else if (status != GRADUS_OK) {
        gr_fail(error, status, "%s", why.text);
    }
    gradus_error_clear(&why);
    return status;
}

enum gradus_status gr_search_faults(struct gr_search *search, const struct gr_problem *p,
                                    struct gr_findings *reported, struct gradus_error *error)
{
    const struct gr_variant *variant = search->candidate->variant;
    struct gr_findings there = {0};
    char size[64];
    if (!search->session->backend->simulates || !variant)
        return GRADUS_OK;
    const struct gr_row_tracing tracing = gr_session_tracing(search->session);
    enum gradus_status status = gr_row_trace_faults(&tracing, variant, p, &there, error);
    gr_edge_name((struct gr_edge_shape){p->m, p->n, p->k, 0}, variant, size);
    for (int i = 0; i < there.count; i++) {
        const struct gr_finding *f = &there.items[i];
        struct gr_finding *added =
            gr_findings_add(reported, f->kind, f->line, "at %s%s: %s", size,
                            gr_probe_is_dense(p) ? "" : " with padded rows", f->text);
        if (!added)
            continue;
        memcpy(added->about, f->about, sizeof added->about);
        added->severity = variant->kernel->built_in ? GR_SEVERITY_FAULT : GR_SEVERITY_WARNING;
    }
    gr_findings_free(&there);
    return status;
}

/* If a worker died, the size is part of the message. */
void gr_search_reason(const char *reason, const char *name, char text[256])
{
    const size_t size = strcspn(name, ",");
    const bool twice = strncmp(reason, name, size) == 0 && strncmp(reason + size, ": ", 2) == 0;
    snprintf(text, 256, "%.150s (at %.90s)", reason + (twice ? size + 2 : 0), name);
}

void gr_search_mark_wrong(struct gr_search *search, struct gr_outcome *one,
                          const struct gr_problem *problem, struct gr_scales scales)
{
    struct gr_outcome *whole = search->outcome;
    char name[160];
    gr_probe_name(search->candidate->variant, problem, scales, name);
    whole->verdict = one->verdict;
    whole->check = one->check;
    gr_search_reason(one->reason, name, whole->reason);
    const bool said = one->findings.count && strcmp(one->findings.items[0].text, one->reason) == 0;
    struct gr_finding *first =
        gr_findings_add(&whole->findings, said ? one->findings.items[0].kind : GR_FIND_SHAPE, 0,
                        "%s", whole->reason);
    if (first)
        first->severity = GR_SEVERITY_FAULT;
    for (int i = said; i < one->findings.count; i++)
        gr_findings_copy(&whole->findings, &one->findings.items[i]);
    gr_outcome_free(one);
}
