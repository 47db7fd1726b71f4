/* diagnose_operands.c: the results of common mistakes with operands and scalars, against which a
 * wrong C is compared. SPDX-License-Identifier: MIT */
#include "check/diagnose_operands.h"

#include "base/rng.h"

/* How a wrong kernel differs from a correct one. Mistakes with operands are tried first. */
struct mixup {
    enum gr_finding_kind kind;
    const char *text;
    bool turn_c, swap, turn_x, turn_y, no_alpha, no_beta;
};

static const struct mixup mixups[] = {
    {GR_FIND_TRANSPOSED, "looks like the transpose of the right C", .turn_c = true},
    {GR_FIND_TRANSPOSED,
     "looks like op(B) op(A): A and B are swapped, or row-major and column-major are mixed up",
     .swap = true},
    {GR_FIND_TRANSPOSED, "looks as if A were used transposed", .turn_x = true},
    {GR_FIND_TRANSPOSED, "looks as if B were used transposed", .turn_y = true},
    {GR_FIND_TRANSPOSED, "looks as if A and B were both used transposed", .turn_x = true,
     .turn_y = true},
    {GR_FIND_WRONG_ELEMENT, "looks as if beta were ignored (taken as 0)", .no_beta = true},
    {GR_FIND_WRONG_ELEMENT, "looks as if alpha were ignored (taken as 1)", .no_alpha = true},
    {GR_FIND_WRONG_ELEMENT, "looks as if alpha and beta were ignored (taken as 1 and 0)",
     .no_alpha = true, .no_beta = true},
};

/* Is the mistake possible with these shapes, and does it change the result? */
static bool applies(const struct mixup *mix, const struct gr_tally *tally)
{
    const struct gr_problem *p = &tally->reference->problem;
    if (mix->turn_c)
        return p->m == p->n || p->ldc == p->n;
    if (mix->swap)
        return p->m == p->k && p->n == p->k;
    if (mix->turn_x && p->m != p->k)
        return false;
    if (mix->turn_y && p->n != p->k)
        return false;
    if (mix->no_alpha && tally->rule.alpha == 1)
        return false;
    return !(mix->no_beta && tally->rule.beta == 0);
}

/* The error ratio of C[row,col] if the kernel made this mistake. */
static double ratio_at(const struct mixup *mix, const struct gr_tally *tally, int64_t row,
                       int64_t col)
{
    const struct gr_reference *r = tally->reference;
    struct gr_rule rule = tally->rule;
    struct gr_view x = mix->swap ? gr_view_transposed(r->y) : r->x;
    struct gr_view y = mix->swap ? gr_view_transposed(r->x) : r->y;
    if (mix->turn_x)
        x = gr_view_transposed(x);
    if (mix->turn_y)
        y = gr_view_transposed(y);
    int64_t i = row, j = col;
    if (mix->turn_c && r->problem.m == r->problem.n) {
        i = col;
        j = row;
    } else if (mix->turn_c) { /* C written in column-major order to the dense buffer */
        int64_t at = row * r->problem.n + col;
        i = at % r->problem.m;
        j = at / r->problem.m;
    }
    if (mix->no_alpha)
        rule.alpha = 1;
    if (mix->no_beta)
        rule.beta = 0;
    double product, absolute;
    gr_view_dot(&x, i, &y, j, &product, &absolute);
    struct gr_want want = gr_rule_want(&rule, product, absolute, gr_tally_c0(tally, row, col));
    return gr_rule_ratio(&rule, want, gr_tally_got(tally, row, col));
}

void gr_diagnose_operands(const struct gr_tally *tally, struct gr_findings *findings)
{
    enum { PLACES = 48, ENOUGH = 6 };
    static const struct mixup none = {0};
    const struct gr_problem *p = &tally->reference->problem;
    struct gr_rng rng = {tally->reference->seed ^ 0xd1a6};
    struct gr_place places[PLACES];
    int wrong = 0;
    for (int i = 0; i < PLACES; i++) {
        places[i].row = (int64_t)(gr_rng_unit(&rng) * (double)p->m);
        places[i].col = (int64_t)(gr_rng_unit(&rng) * (double)p->n);
        wrong += !(ratio_at(&none, tally, places[i].row, places[i].col) <= tally->rule.limit);
    }
    if (wrong < ENOUGH) /* too few wrong elements for such a mistake */
        return;
    for (size_t i = 0; i < sizeof mixups / sizeof *mixups; i++) {
        int agree = 0;
        if (!applies(&mixups[i], tally))
            continue;
        while (agree < PLACES && ratio_at(&mixups[i], tally, places[agree].row,
                                          places[agree].col) <= tally->rule.limit)
            agree++;
        if (agree == PLACES) {
            gr_findings_add(findings, mixups[i].kind, 0, "%s", mixups[i].text);
            return;
        }
    }
}
