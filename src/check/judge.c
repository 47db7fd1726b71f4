/* judge.c: compares one element with its bound. SPDX-License-Identifier: MIT */
#include "check/judge.h"

#include "check/element.h"

#include <math.h>
#include <stdlib.h>

struct gr_rule gr_rule_make(const struct gr_reference *reference, double alpha, double beta,
                            bool exact)
{
    struct gr_types types = reference->problem.types;
    double k = (double)reference->problem.k;
    bool integers = gr_dtype_eps(types.acc) == 0;
    struct gr_rule rule = {.alpha = alpha, .beta = beta, .eps = gr_dtype_eps(types.acc)};
    if (types.acc != GR_F64 && !integers) { /* the kernel receives them as float */
        rule.alpha = (double)(float)alpha;
        rule.beta = (double)(float)beta;
    }
    rule.limit = 16 * fmax(1, sqrt(k) / 8);
    rule.lost = gr_dtype_lost(types.acc) * (fabs(rule.alpha) * k + 2);
    rule.most = gr_dtype_max(types.c);
    if (gr_dtype_eps(types.c) > rule.eps) {
        rule.stored_eps = gr_dtype_eps(types.c);
        rule.stored_lost = gr_dtype_lost(types.c);
    }
    /* With integer operands and multiples of 1/4 as alpha and beta, results are multiples of 1/4
     * and exact up to digits - 2 bits. */
    bool quarters = 4 * rule.alpha == rint(4 * rule.alpha) && 4 * rule.beta == rint(4 * rule.beta);
    rule.exact = integers || (exact && quarters && rule.stored_eps == 0);
    rule.exact_below = integers ? (double)INFINITY : ldexp(1, gr_dtype_digits(types.acc) - 2);
    return rule;
}

struct gr_want gr_rule_want(const struct gr_rule *rule, double product, double absolute, double c0)
{
    double ab = rule->alpha == 0 ? 0 : rule->alpha * product;
    double c = rule->beta == 0 ? 0 : rule->beta * c0;
    double bound = (rule->alpha == 0 ? 0 : fabs(rule->alpha) * absolute) + fabs(c);
    struct gr_want want = {.value = ab + c};
    if (bound == 0 || (rule->exact && bound < rule->exact_below))
        return want; /* exact: no error is allowed */
    want.scale = rule->eps * bound + rule->lost / rule->limit;
    want.slack = rule->stored_eps / 2 * fabs(want.value) + rule->stored_lost;
    return want;
}

double gr_rule_ratio(const struct gr_rule *rule, struct gr_want want, double got)
{
    const double never = (double)INFINITY;
    if (isnan(want.value))
        return isnan(got) ? 0 : never;
    if (isnan(got))
        return never;
    /* Correct only if the value exceeds the type's range, or may do so within its bound. */
    if (isinf(got)) {
        bool beyond = fabs(want.value) + rule->limit * want.scale >= rule->most;
        return beyond && signbit(got) == signbit(want.value) ? 0 : never;
    }
    if (isinf(want.value) || isinf(want.scale))
        return never;
    double error = fabs(got - want.value) - want.slack;
    if (!(error > 0))
        return 0;
    return want.scale > 0 ? error / want.scale : never;
}

double gr_tally_got(const struct gr_tally *tally, int64_t row, int64_t col)
{
    const struct gr_problem *p = &tally->reference->problem;
    return gr_element(p->types.c, tally->c, row * p->ldc + col);
}

double gr_tally_c0(const struct gr_tally *tally, int64_t row, int64_t col)
{
    const struct gr_problem *p = &tally->reference->problem;
    return tally->rule.beta == 0 ? 0 : gr_element(p->types.c, tally->c0, row * p->ldc + col);
}

/* The list is for the diagnosis only; if it cannot grow, it stays incomplete. */
static void list_wrong(struct gr_tally *tally, int64_t row, int64_t col)
{
    enum { MOST = 1 << 22 };
    if (tally->wrong_listed == tally->wrong_room) {
        int64_t room = tally->wrong_room ? 2 * tally->wrong_room : 256;
        struct gr_place *more =
            room > MOST ? NULL : realloc(tally->wrong, (size_t)room * sizeof *more);
        if (!more)
            return;
        tally->wrong = more;
        tally->wrong_room = room;
    }
    tally->wrong[tally->wrong_listed++] = (struct gr_place){row, col};
}

static void count_odd(struct gr_tally *tally, int64_t row, int64_t col, double got)
{
    if (tally->nonfinite_count++ == 0) {
        tally->odd_first = (struct gr_place){row, col};
        tally->odd_value = got;
    }
}

bool gr_tally_add(struct gr_tally *tally, int64_t row, int64_t col, double product, double absolute)
{
    const struct gr_rule *rule = &tally->rule;
    double got = gr_tally_got(tally, row, col);
    struct gr_want want = gr_rule_want(rule, product, absolute, gr_tally_c0(tally, row, col));
    double ratio = gr_rule_ratio(rule, want, got);
    bool right = ratio <= rule->limit; /* false for NaN */
    tally->compared++;
    if (!tally->worst.known || ratio > tally->worst.ratio)
        tally->worst = (struct gr_worst){true, row, col, got, want.value, ratio, rule->limit};
    if (isfinite(want.value)) {
        tally->tolerance = fmax(tally->tolerance, rule->limit * want.scale + want.slack);
        tally->squares += want.value * want.value;
    }
    if (right)
        return true;
    if (!isfinite(got) && isfinite(want.value))
        count_odd(tally, row, col, got);
    tally->wrong_count++;
    list_wrong(tally, row, col);
    return false;
}

void gr_tally_add_nonfinite(struct gr_tally *tally, int64_t row, int64_t col)
{
    count_odd(tally, row, col, gr_tally_got(tally, row, col));
    tally->compared++;
    tally->wrong_count++;
    list_wrong(tally, row, col);
}

void gr_tally_free(struct gr_tally *tally)
{
    free(tally->wrong);
    tally->wrong = NULL;
}
