/* probe_one.c: runs one GEMM at another shape than the requested one.
 * SPDX-License-Identifier: MIT */
#include "measure/probe_one.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum gradus_status gr_probe_open(struct gr_session *s, const struct gr_candidate *candidate,
                                 const struct gr_problem *problem, struct gr_probe *probe,
                                 struct gradus_error *error)
{
    const char *math = candidate->variant ? candidate->variant->kernel->math : NULL;
    *probe = (struct gr_probe){.candidate = candidate};
    return gr_pair_make(problem, s->options.fill, s->options.seed + 7, math, NULL, 0, 1,
                        &probe->pair, error);
}

void gr_probe_close(struct gr_probe *probe)
{
    gr_pair_free(&probe->pair);
}

enum gradus_status gr_probe_run(struct gr_session *s, const struct gr_probe *probe,
                                struct gr_scales scales, enum gr_c_start c_start,
                                struct gr_outcome *outcome, struct gradus_error *error)
{
    const struct gr_trial trial = {.candidate = *probe->candidate,
                                   .pair = &probe->pair,
                                   .alpha = scales.alpha,
                                   .beta = scales.beta,
                                   .c_start = c_start,
                                   .quick = true,
                                   .limit_ns = s->options.time_limit_ns};
    struct gradus_error why = {0};
    enum gradus_status status = gr_trial_run(s, &trial, outcome, &why);
    if (status == GRADUS_INVALID) {
        outcome->verdict = GR_REFUSED;
        snprintf(outcome->reason, sizeof outcome->reason, "%.255s", why.text);
        status = GRADUS_OK;
    } else if (status != GRADUS_OK) {
        gr_fail(error, status, "%s", why.text);
    }
    gradus_error_clear(&why);
    return status;
}

enum gradus_status gr_probe_right(struct gr_session *s, const struct gr_candidate *candidate,
                                  const struct gr_problem *problem, struct gr_scales scales,
                                  bool *right, char reason[256], struct gradus_error *error)
{
    struct gr_probe probe;
    struct gr_outcome outcome = {0};
    *right = false;
    enum gradus_status status = gr_probe_open(s, candidate, problem, &probe, error);
    if (status == GRADUS_OK)
        status = gr_probe_run(s, &probe, scales, GR_C_FINITE, &outcome, error);
    *right = outcome.verdict == GR_RIGHT || outcome.verdict == GR_REFUSED;
    if (reason)
        memcpy(reason, outcome.reason, sizeof outcome.reason);
    gr_outcome_free(&outcome);
    gr_probe_close(&probe);
    return status;
}

bool gr_probe_is_dense(const struct gr_problem *p)
{
    const struct gr_problem dense =
        gr_problem_dense(p->m, p->n, p->k, p->trans_a, p->trans_b, p->types);
    return p->lda == dense.lda && p->ldb == dense.ldb && p->ldc == dense.ldc;
}

void gr_probe_name(const struct gr_variant *v, const struct gr_problem *p, struct gr_scales scales,
                   char name[160])
{
    const bool mirrored = v && v->kernel->mirrored;
    const bool scaled = !v || !v->kernel->implied_alpha1_beta0;
    char size[64], leading[80] = "", scalars[64] = "";
    gr_size_name(mirrored ? p->n : p->m, mirrored ? p->m : p->n, p->k, size, sizeof size);
    if (!gr_probe_is_dense(p))
        snprintf(leading, sizeof leading, ", lda %" PRId64 ", ldb %" PRId64 ", ldc %" PRId64,
                 mirrored ? p->ldb : p->lda, mirrored ? p->lda : p->ldb, p->ldc);
    if (scaled)
        snprintf(scalars, sizeof scalars, ", alpha %g, beta %g", scales.alpha, scales.beta);
    snprintf(name, 160, "%.63s%.70s%.24s", size, leading, scalars);
}
