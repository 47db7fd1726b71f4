/* result.c: decides whether one C is correct. SPDX-License-Identifier: MIT */
#include "check/check.h"

#include "core/error.h"
#include "check/diagnose.h"
#include "check/precision.h"
#include "check/screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void judge_all(struct gr_tally *tally)
{
    const struct gr_reference *r = tally->reference;
    for (int64_t i = 0; i < r->problem.m; i++)
        for (int64_t j = 0; j < r->problem.n; j++) {
            int64_t at = i * r->problem.n + j;
            gr_tally_add(tally, i, j, r->product[at], r->absolute[at]);
        }
}

/* Describes which check was made and, if all elements passed, which errors it would have
 * detected. */
static void describe(const struct gr_tally *tally, int64_t lines, struct gr_check *check)
{
    const struct gr_reference *r = tally->reference;
    int64_t rows = r->rows.count + (r->by_cols ? 0 : lines);
    int64_t cols = r->cols.count + (r->by_cols ? lines : 0);
    size_t size = sizeof check->checked_by;
    if (r->full) {
        snprintf(check->checked_by, size, "full float64 reference");
        return;
    }
    int used = snprintf(check->checked_by, size,
                        "Freivalds x%d + %" PRId64 " rows, %" PRId64 " columns in full", GR_VECTORS,
                        rows, cols);
    char *rest = check->checked_by + used;
    size -= (size_t)used;
    if (!check->right)
        return;
    if (check->sees == 0)
        snprintf(rest, size, "; sees any error in one element");
    else if (isinf(check->sees))
        snprintf(rest, size, "; NaN or Inf in the inputs hide errors elsewhere");
    else
        snprintf(rest, size, "; sees an error of %.2g in any one element (C is about %.2g)",
                 check->sees, sqrt(tally->squares / fmax(1, (double)tally->compared)));
}

enum gradus_status gr_check_result(const struct gr_reference *reference, double alpha, double beta,
                                   const void *c0, const void *c, const void *untouched, bool exact,
                                   struct gr_check *check, struct gr_findings *findings,
                                   struct gradus_error *error)
{
    *check = (struct gr_check){0};
    struct gr_tally tally = {.reference = reference, .c0 = c0, .c = c};
    tally.rule = gr_rule_make(reference, alpha, beta, exact);
    if (tally.rule.beta != 0 && !c0)
        return gr_fail(error, GRADUS_INVALID, "check: beta is %g and there is no C0", beta);
    int64_t lines = 0;
    if (reference->full) {
        judge_all(&tally);
        check->sees = 1.001 * tally.tolerance;
    } else if (!gr_screen(&tally, untouched, &check->sees, &lines)) {
        gr_tally_free(&tally);
        return gr_fail_memory(error, "Freivalds' check", 0);
    }
    /* The bound grows with K, but the pattern of rounded inputs is detected at any K. */
    check->right = tally.wrong_count == 0 && !gr_find_rounded(&tally, findings);
    check->worst = tally.worst;
    check->wrong_count = tally.wrong_count;
    describe(&tally, lines, check);
    gr_diagnose(&tally, untouched, findings);
    gr_tally_free(&tally);
    return GRADUS_OK;
}
