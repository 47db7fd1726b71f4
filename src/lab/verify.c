/* verify.c: the trials that decide a row. SPDX-License-Identifier: MIT */
#include "lab/verify.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool takes_alpha_beta(const struct gr_entrant *entrant)
{
    return !entrant->variant || !entrant->variant->kernel->implied_alpha1_beta0;
}

static bool must_not_read_c(const struct gr_session *s, const struct gr_entrant *entrant)
{
    return s->options.strict || (entrant->variant && entrant->variant->kernel->built_in);
}

/* Moves the findings and the verdict of one trial into the whole; of a kind that an earlier one had there are enough. */
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

enum gradus_status gr_verify(struct gr_session *s, const struct gr_entrant *entrant,
                             struct gr_outcome *outcome, struct gradus_error *error)
{
    static const struct {
        bool scaled; /* by alpha and beta other than 1 and 0 */
        enum gr_c_start c_start;
        bool at_start;
    } trials[] = {
        {true, GR_C_FINITE, false},
        {false, GR_C_FINITE, false},
        /* The last is what a GPU's counters are read of: its operands lie as in a program. */
        {false, GR_C_NAN, true},
    };
    *outcome = (struct gr_outcome){.verdict = GR_RIGHT};
    for (int i = takes_alpha_beta(entrant) ? 0 : 1; i < 3; i++) {
        struct gr_scales scales = gr_trial_scales(s->pairs[0].problem.types.acc);
        struct gr_trial trial = {.entrant = *entrant,
                                 .pair = &s->pairs[0],
                                 .alpha = trials[i].scaled ? scales.alpha : 1,
                                 .beta = trials[i].scaled ? scales.beta : 0,
                                 .c_start = trials[i].c_start,
                                 .at_start = trials[i].at_start,
                                 .limit_ns = s->options.time_limit_ns};
        struct gr_outcome one;
        enum gradus_status status = gr_trial_run(s, &trial, &one, error);
        if (status != GRADUS_OK)
            return status;
        bool only_nan_fails = trials[i].c_start == GR_C_NAN && one.verdict == GR_WRONG &&
                              !gr_findings_has(&one.findings, GR_FIND_UNWRITTEN) &&
                              (!one.check.worst.known || isnan(one.check.worst.got));
        if (only_nan_fails) {
            struct gr_finding *reads_c =
                gr_findings_add(&outcome->findings, GR_FIND_READS_C, 0,
                                "reads C when beta is 0: a NaN in C survives");
            gr_outcome_free(&one);
            if (must_not_read_c(s, entrant)) {
                if (reads_c)
                    reads_c->severity = GR_SEVERITY_FAULT;
                outcome->verdict = GR_WRONG;
                snprintf(outcome->reason, sizeof outcome->reason, "reads C when beta is 0");
            }
            break;
        }
        take(outcome, &one);
        if (outcome->verdict != GR_RIGHT)
            break;
    }
    return GRADUS_OK;
}
