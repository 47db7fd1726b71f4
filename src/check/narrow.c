/* narrow.c: products of halves that were added up in halves. What such a kernel gives is computed, step by step in the order
 * of k, for some of the wrong elements. SPDX-License-Identifier: MIT */
#include "check/narrow.h"

#include "check/element.h"

#include <math.h>

/* The sum as a kernel has it that rounds after each addition; `fused`: not after the multiplication too. */
static double narrow_sum(const struct gr_reference *r, struct gr_place at, enum gr_dtype type,
                         bool fused)
{
    double sum = 0;
    for (int64_t l = 0; l < r->problem.k; l++) {
        double product = gr_view_at(&r->x, at.row, l) * gr_view_at(&r->y, at.col, l);
        sum = gr_round_to(type, sum + (fused ? product : gr_round_to(type, product)));
    }
    return sum;
}

/* Is the element what alpha and beta make of such a sum, but for the last digit? */
static bool agrees(const struct gr_tally *tally, struct gr_place at, enum gr_dtype type, bool fused)
{
    const struct gr_rule *rule = &tally->rule;
    double value = rule->alpha * narrow_sum(tally->reference, at, type, fused);
    if (rule->beta != 0)
        value += rule->beta * gr_tally_c0(tally, at.row, at.col);
    double got = gr_tally_got(tally, at.row, at.col);
    int digits = gr_dtype_digits(tally->reference->problem.types.c);
    return got == value || fabs(got - value) <= ldexp(fabs(value), 1 - digits);
}

static bool most_agree(const struct gr_tally *tally, enum gr_dtype type, bool fused)
{
    enum { PLACES = 48, ENOUGH = 6 };
    int64_t places = tally->wrong_listed < PLACES ? tally->wrong_listed : PLACES;
    int agree = 0;
    for (int64_t i = 0; i < places; i++)
        agree += agrees(tally, tally->wrong[i * tally->wrong_listed / places], type, fused);
    return places >= ENOUGH && 10 * agree >= 9 * places;
}

void gr_find_narrow(const struct gr_tally *tally, struct gr_findings *findings)
{
    struct gr_types types = tally->reference->problem.types;
    enum gr_dtype type = types.a;
    if (types.b != type || gr_dtype_eps(type) <= gr_dtype_eps(types.acc) ||
        gr_dtype_bytes(type) < 2)
        return;
    if (most_agree(tally, type, true) || most_agree(tally, type, false))
        gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0,
                        "the sum is kept in %s: it is rounded to %d bits at each of %lld steps, "
                        "and the error grows with K; accumulate in %s",
                        gr_dtype_name(type), gr_dtype_digits(type),
                        (long long)tally->reference->problem.k, gr_dtype_name(types.acc));
}
