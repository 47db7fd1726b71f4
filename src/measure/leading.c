/* leading.c: runs GEMMs with padding between the rows. SPDX-License-Identifier: MIT */
#include "measure/leading.h"

#include "core/error.h"
#include "measure/arena.h"
#include "measure/padding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t *ld_of(struct gr_problem *p, int operand)
{
    return operand == 0 ? &p->lda : operand == 1 ? &p->ldb : &p->ldc;
}

static char letter(const struct gr_variant *variant, int operand)
{
    return variant->kernel->mirrored ? "bac"[operand] : "abc"[operand];
}

/* Runs one GEMM with the leading dimensions of `padded` for the rows of pairs[0]. */
static enum gradus_status try_padded(struct gr_search *search, const struct gr_problem *padded,
                                     struct gr_scales scales, struct gr_outcome *one,
                                     struct gradus_error *error)
{
    struct gr_session *s = search->session;
    struct gr_pair pair;
    *one = (struct gr_outcome){0};
    enum gradus_status status = gr_pair_with_ld(&s->pairs[0], padded, &pair, error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_trial trial = {.candidate = *search->candidate,
                                   .pair = &pair,
                                   .alpha = scales.alpha,
                                   .beta = scales.beta,
                                   .c_start = GR_C_FINITE,
                                   .quick = true,
                                   .limit_ns = s->options.time_limit_ns};
    status = gr_trial_run(s, &trial, one, error);
    gr_pair_free(&pair);
    return status;
}

static bool same_leading(const struct gr_problem *p, const struct gr_problem *q)
{
    return p->lda == q->lda && p->ldb == q->ldb && p->ldc == q->ldc;
}

enum gradus_status gr_leading_unit(struct gr_search *search, const struct gr_problem *problem,
                                   struct gr_scales scales, int64_t *unit,
                                   struct gradus_error *error)
{
    struct gr_problem last = *problem;
    *unit = 0;
    for (int64_t step = 2; step <= 64; step *= 2) {
        struct gr_problem padded;
        bool right;
        if (!gr_padding_of(search->candidate->variant, problem, step, &padded) ||
            same_leading(&padded, &last))
            continue;
        last = padded;
        enum gradus_status status = gr_probe_right(search->session, search->candidate, &padded,
                                                   scales, &right, NULL, error);
        if (status != GRADUS_OK)
            return status;
        if (!right)
            continue;
        *unit = step;
        return GRADUS_OK;
    }
    return GRADUS_OK;
}

void gr_leading_require(const struct gr_variant *variant, const struct gr_problem *problem,
                        int64_t unit, char text[64])
{
    struct gr_problem padded, dense = *problem;
    size_t used = 0;
    *text = 0;
    gr_padding_of(variant, problem, unit, &padded);
    for (int i = 0; i < 3; i++)
        if (*ld_of(&padded, i) != *ld_of(&dense, i))
            used += (size_t)snprintf(text + used, 64 - used, "%sld%c%%%" PRId64 "==0",
                                     used ? " && " : "", letter(variant, i), unit);
}

/* Finds which leading dimension causes the failure when it alone is enlarged: "ldb". */
static enum gradus_status find_culprits(struct gr_search *search, const struct gr_problem *padded,
                                        struct gr_scales scales, char names[24],
                                        struct gradus_error *error)
{
    const struct gr_variant *variant = search->candidate->variant;
    *names = 0;
    for (int i = 0; i < 3; i++) {
        struct gr_problem alone = search->session->pairs[0].problem, all = *padded;
        struct gr_outcome one;
        if (*ld_of(&alone, i) == *ld_of(&all, i))
            continue;
        *ld_of(&alone, i) = *ld_of(&all, i);
        enum gradus_status status = try_padded(search, &alone, scales, &one, error);
        if (status != GRADUS_OK)
            return status;
        size_t used = strlen(names);
        if (gr_outcome_is_wrong(&one))
            snprintf(names + used, 24 - used, "%sld%c", used ? ", " : "", letter(variant, i));
        gr_outcome_free(&one);
    }
    return GRADUS_OK;
}

/* Reports a kernel that is correct with dense rows and wrong with padded ones. */
static enum gradus_status report(struct gr_search *search, const struct gr_problem *padded,
                                 struct gr_scales scales, struct gr_outcome *one,
                                 struct gradus_error *error)
{
    const struct gr_variant *variant = search->candidate->variant;
    char culprits[24], name[160], require[64];
    int64_t unit;
    gr_probe_name(variant, padded, scales, name);
    enum gradus_status status =
        gr_leading_unit(search, &search->session->pairs[0].problem, scales, &unit, error);
    if (status == GRADUS_OK && unit > 0 && !variant->kernel->built_in) {
        gr_leading_require(variant, &search->session->pairs[0].problem, unit, require);
        gr_findings_add(&search->outcome->findings, GR_FIND_SHAPE, 0,
                        "right with dense rows; wrong at %s (%.120s): //@ require %s", name,
                        one->reason, require);
        gr_outcome_free(one);
        return GRADUS_OK;
    }
    if (status == GRADUS_OK)
        status = find_culprits(search, padded, scales, culprits, error);
    if (status == GRADUS_OK) {
        snprintf(one->reason, sizeof one->reason,
                 "right with dense rows and wrong where they are further apart: %s",
                 *culprits ? culprits : "all leading dimensions together");
        gr_search_mark_wrong(search, one, padded, scales);
        status = gr_search_faults(search, padded, &search->outcome->findings, error);
    } else {
        gr_outcome_free(one);
    }
    return status;
}

/* Distinguishes failures caused by the leading dimensions from those caused by alpha and beta. */
static enum gradus_status tell_apart(struct gr_search *search, const struct gr_problem *padded,
                                     struct gr_scales scales, struct gr_outcome *one,
                                     struct gradus_error *error)
{
    struct gr_outcome dense;
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    enum gradus_status status = try_padded(search, requested, scales, &dense, error);
    if (status != GRADUS_OK || dense.verdict == GR_RIGHT) {
        gr_outcome_free(&dense);
        if (status == GRADUS_OK)
            return report(search, padded, scales, one, error);
        gr_outcome_free(one);
        return status;
    }
    gr_outcome_free(one);
    gr_search_mark_wrong(search, &dense, requested, scales);
    return GRADUS_OK;
}

static void tell_excluded(const struct gr_search *search)
{
    char names[24];
    gr_padding_excluded(search->candidate->variant, &search->session->pairs[0].problem, names);
    if (*names)
        gr_findings_add(&search->outcome->findings, GR_FIND_NOTE, 0,
                        "`require` admits dense rows only: %s %s not tried with padding", names,
                        strchr(names, ',') ? "were" : "was");
}

enum gradus_status gr_verify_leading(struct gr_search *search, struct gr_scales scales, bool *tried,
                                     struct gradus_error *error)
{
    const struct gr_variant *variant = search->candidate->variant;
    const struct gr_problem *requested = &search->session->pairs[0].problem;
    struct gr_problem padded;
    struct gr_outcome one;
    *tried = false;
    if (!variant)
        return GRADUS_OK;
    tell_excluded(search);
    if (!gr_padding_of(variant, requested, 1, &padded) ||
        2 * gr_problem_bytes(requested) > 0.9 * (double)gr_memory_available())
        return GRADUS_OK;
    enum gradus_status status = try_padded(search, &padded, scales, &one, error);
    if (status != GRADUS_OK)
        return status;
    *tried = one.verdict != GR_REFUSED;
    if (gr_outcome_is_wrong(&one))
        return tell_apart(search, &padded, scales, &one, error);
    gr_outcome_free(&one);
    return GRADUS_OK;
}
