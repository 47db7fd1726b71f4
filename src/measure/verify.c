/* verify.c: runs the trials that decide the verdict. SPDX-License-Identifier: MIT */
#include "measure/verify.h"

#include "core/error.h"
#include "measure/leading.h"
#include "measure/scaling.h"
#include "measure/search.h"
#include "measure/smallest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Merges the findings and the verdict of one trial into the total. Kinds of findings that an
 * earlier trial already has are dropped. */
static void take(struct gr_outcome *whole, struct gr_outcome *part)
{
    whole->verdict = part->verdict;
    memcpy(whole->reason, part->reason, sizeof whole->reason);
    if (!whole->check.worst.known || !part->check.right ||
        part->check.worst.ratio > whole->check.worst.ratio)
        whole->check = part->check;
    int before = whole->findings.count;
    for (int i = 0; i < part->findings.count; i++) {
        const struct gr_finding *f = &part->findings.items[i];
        const struct gr_findings earlier = {whole->findings.items, before};
        if (!gr_findings_has(&earlier, f->kind))
            gr_findings_copy(&whole->findings, f);
    }
    whole->ns = part->ns > whole->ns ? part->ns : whole->ns;
    gr_outcome_free(part);
}

static struct gr_trial trial_of(const struct gr_search *search, struct gr_scales scales)
{
    return (struct gr_trial){.candidate = *search->candidate,
                             .pair = &search->session->pairs[0],
                             .alpha = scales.alpha,
                             .beta = scales.beta,
                             .c_start = GR_C_FINITE,
                             .limit_ns = search->session->options.time_limit_ns};
}

/* A kernel without beta that is wrong, and right if C is zero before, adds to C. If that is meant,
 * a line of its file says so. */
static enum gradus_status tell_adding(struct gr_search *search, const struct gr_trial *wrong,
                                      struct gradus_error *error)
{
    const struct gr_variant *variant = search->candidate->variant;
    struct gr_trial trial = *wrong;
    struct gr_outcome one;
    if (!variant || !variant->kernel->lacks_beta || variant->kernel->zero_c)
        return GRADUS_OK;
    trial.c_start = GR_C_ZERO;
    trial.quick = true;
    enum gradus_status status = gr_trial_run(search->session, &trial, &one, error);
    if (status == GRADUS_OK && one.verdict == GR_RIGHT)
        gr_findings_add(&search->outcome->findings, GR_FIND_ADDS_TO_C, 0,
                        "right if C is zero before: it adds to C; if that is meant, add the line "
                        "`//@ zero C` (or --zero C), and C is set to zero before each product");
    gr_outcome_free(&one);
    return status;
}

/* Do two trials of the same product show different results? */
static bool differ(const struct gr_check *x, const struct gr_check *y)
{
    const struct gr_worst *a = &x->worst, *b = &y->worst;
    const bool both_nan = isnan(a->got) && isnan(b->got);
    return x->right != y->right || x->wrong_count != y->wrong_count || a->row != b->row ||
           a->col != b->col || (a->got != b->got && !both_nan);
}

/* Repeats a wrong product. What a kernel computes from its arguments is the same each time, so that
 * another result rules out all explanations by arguments, storage orders and C's old content. The
 * simulator runs threads in a fixed order, and names races itself. */
static enum gradus_status tell_changing(struct gr_search *search, const struct gr_trial *wrong,
                                        const struct gr_check *first, bool *changes,
                                        struct gradus_error *error)
{
    enum { REPEATS = 2 };
    enum gradus_status status = GRADUS_OK;
    struct gr_trial trial = *wrong;
    trial.quick = true;
    *changes = false;
    if (!first->worst.known || !search->candidate->variant ||
        gr_device_is_simulated(&search->session->options.device))
        return GRADUS_OK;
    for (int i = 0; i < REPEATS && status == GRADUS_OK && !*changes; i++) {
        struct gr_outcome again;
        status = gr_trial_run(search->session, &trial, &again, error);
        *changes = status == GRADUS_OK && again.check.worst.known && differ(first, &again.check);
        if (status == GRADUS_OK)
            gr_outcome_free(&again);
    }
    if (*changes)
        gr_findings_add(&search->outcome->findings, GR_FIND_UNREPEATABLE, 0,
                        "the same product again gave another result: threads write the same "
                        "elements (a race), memory is read that nobody wrote, or something is kept "
                        "from call to call");
    return status;
}

/* Runs one trial at the requested size and merges its outcome. */
static enum gradus_status decide(struct gr_search *search, const struct gr_trial *trial,
                                 struct gradus_error *error)
{
    struct gr_outcome one;
    enum gradus_status status = gr_trial_run(search->session, trial, &one, error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_check first = one.check;
    bool changes = false;
    take(search->outcome, &one);
    if (search->outcome->verdict != GR_WRONG)
        return GRADUS_OK;
    status = tell_changing(search, trial, &first, &changes, error);
    if (status == GRADUS_OK && !changes)
        status = tell_adding(search, trial, error);
    if (status != GRADUS_OK)
        return status;
    return gr_smallest_case(search, (struct gr_scales){trial->alpha, trial->beta}, error);
}

/* Runs alpha 1 and beta 0 with C full of NaN. The operands are placed as in a program, and GPU
 * counters are read from this trial. */
static enum gradus_status decide_by_nan(struct gr_search *search, struct gradus_error *error)
{
    static const struct gr_scales plain = {1, 0};
    struct gr_outcome one, *whole = search->outcome;
    struct gr_trial trial = trial_of(search, plain);
    trial.c_start = GR_C_NAN;
    trial.at_start = true;
    enum gradus_status status = gr_trial_run(search->session, &trial, &one, error);
    if (status != GRADUS_OK)
        return status;
    const bool only_nan_fails = one.verdict == GR_WRONG &&
                                !gr_findings_has(&one.findings, GR_FIND_UNWRITTEN) &&
                                (!one.check.worst.known || isnan(one.check.worst.got));
    if (!only_nan_fails) {
        take(whole, &one);
        return GRADUS_OK;
    }
    gr_outcome_free(&one);
    trial.c_start = GR_C_FINITE;
    status = decide(search, &trial, error);
    if (status != GRADUS_OK || whole->verdict != GR_RIGHT)
        return status;
    struct gr_finding *reads_c =
        gr_findings_add(&whole->findings, GR_FIND_READS_C_AT_BETA_0, 0,
                        "reads C when beta is 0: a NaN in C reaches the result");
    search->ignore_nan_c = true;
    if (!gr_search_is_strict(search))
        return GRADUS_OK;
    if (reads_c)
        reads_c->severity = GR_SEVERITY_FAULT;
    whole->verdict = GR_WRONG;
    snprintf(whole->reason, sizeof whole->reason, "reads C when beta is 0");
    return GRADUS_OK;
}

/* A beta of 0 and an alpha that is not 1, which is the only way to detect a kernel that ignores
 * alpha in that case; alpha 1 for kernels without alpha and for libraries. */
static struct gr_scales second_scales(const struct gr_search *search)
{
    for (int i = 0; i < search->scale_count && search->candidate->variant; i++)
        if (search->scales[i].beta == 0 && search->scales[i].alpha < 0)
            return search->scales[i];
    return (struct gr_scales){1, 0};
}

enum gradus_status gr_verify(struct gr_session *s, const struct gr_candidate *candidate,
                             struct gr_outcome *outcome, struct gradus_error *error)
{
    *outcome = (struct gr_outcome){.verdict = GR_RIGHT};
    struct gr_search search = gr_search_begin(s, candidate, outcome);
    const struct gr_scales first = search.scales[0], second = second_scales(&search);
    const bool same = first.alpha == second.alpha && first.beta == second.beta;
    const struct gr_trial trials[] = {trial_of(&search, first), trial_of(&search, second)};
    enum gradus_status status = decide(&search, &trials[0], error);
    bool padded = false;
    if (status == GRADUS_OK && outcome->verdict == GR_RIGHT)
        status = gr_verify_leading(&search, second, &padded, error);
    if (status == GRADUS_OK && outcome->verdict == GR_RIGHT && !padded && !same)
        status = decide(&search, &trials[1], error);
    if (status == GRADUS_OK && outcome->verdict == GR_RIGHT)
        status = decide_by_nan(&search, error);
    if (status == GRADUS_OK && outcome->verdict == GR_RIGHT && candidate->variant)
        status = gr_verify_scaling(&search, error);
    return status;
}
