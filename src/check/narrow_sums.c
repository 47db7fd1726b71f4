/* narrow_sums.c: detects sums, and products, in half precision. For some elements, the result of
 * such a kernel is computed step by step in the order of k, and compared with C.
 * SPDX-License-Identifier: MIT */
#include "check/narrow_sums.h"

#include "check/element.h"

#include <math.h>

enum { PLACES = 48, ENOUGH = 6 };

/* A kernel that rounds its sum after `step` products, as a tensor core does, or after each. */
struct model {
    enum gr_dtype type; /* of the accumulator; the inputs are rounded to it too */
    bool fused;         /* products are not rounded (FMA) */
    int step;
    bool wide; /* only the products are rounded to the type; they are added in f32 */
};

static const struct model models[] = {
    {GR_F16, true, 1, false},   {GR_F16, false, 1, false}, {GR_F16, true, 4, false},
    {GR_F16, true, 8, false},   {GR_F16, true, 16, false}, {GR_BF16, true, 1, false},
    {GR_BF16, false, 1, false}, {GR_BF16, true, 8, false}, {GR_BF16, true, 16, false},
    {GR_F16, false, 1, true},   {GR_BF16, false, 1, true},
};

static double narrow_sum(const struct gr_reference *r, struct gr_place at,
                         const struct model *model)
{
    double sum = 0, part = 0;
    for (int64_t l = 0; l < r->problem.k; l++) {
        double product = gr_round_to(model->type, gr_view_at(&r->x, at.row, l)) *
                         gr_round_to(model->type, gr_view_at(&r->y, at.col, l));
        part += model->fused ? product : gr_round_to(model->type, product);
        if ((l + 1) % model->step && l + 1 < r->problem.k)
            continue;
        sum = gr_round_to(model->wide ? GR_F32 : model->type, sum + part);
        part = 0;
    }
    return sum;
}

/* The result for such a sum with alpha and beta. */
static double narrow_value(const struct gr_tally *tally, struct gr_place at,
                           const struct model *model)
{
    double value = tally->rule.alpha * narrow_sum(tally->reference, at, model);
    if (tally->rule.beta != 0)
        value += tally->rule.beta * gr_tally_c0(tally, at.row, at.col);
    return value;
}

static double last_digit(const struct gr_tally *tally, double value)
{
    return ldexp(fabs(value), 1 - gr_dtype_digits(tally->reference->problem.types.c));
}

/* Do the model's value and the correct one differ enough to be distinguished? */
static bool distinguishes(const struct gr_tally *tally, struct gr_place at, double value)
{
    const struct gr_reference *r = tally->reference;
    double product, absolute;
    gr_view_dot(&r->x, at.row, &r->y, at.col, &product, &absolute);
    struct gr_want want =
        gr_rule_want(&tally->rule, product, absolute, gr_tally_c0(tally, at.row, at.col));
    return fabs(value - want.value) > 3 * last_digit(tally, value) + 8 * want.scale + want.slack;
}

static bool fits(const struct gr_tally *tally, const struct model *model,
                 const struct gr_place *places, int count)
{
    int telling = 0, agree = 0;
    for (int i = 0; i < count; i++) {
        double got = gr_tally_got(tally, places[i].row, places[i].col);
        double value = narrow_value(tally, places[i], model);
        if (!distinguishes(tally, places[i], value))
            continue;
        telling++;
        agree += got == value || fabs(got - value) <= last_digit(tally, value);
        if (telling == ENOUGH && agree < ENOUGH / 2)
            return false;
    }
    return telling >= ENOUGH && 10 * agree >= 9 * telling;
}

static int choose_places(const struct gr_tally *tally, struct gr_place *places)
{
    int64_t listed = tally->wrong_listed;
    int count = listed < PLACES ? (int)listed : PLACES;
    for (int i = 0; i < count; i++)
        places[i] = tally->wrong[i * listed / count];
    return count;
}

void gr_find_narrow_sums(const struct gr_tally *tally, struct gr_findings *findings)
{
    const struct gr_problem *p = &tally->reference->problem;
    const double acc = gr_dtype_eps(p->types.acc);
    struct gr_place places[PLACES];
    int count = choose_places(tally, places);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct model *model = &models[i];
        if (acc == 0 || gr_dtype_eps(model->type) <= acc || !fits(tally, model, places, count))
            continue;
        if (model->wide)
            gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0,
                            "each product is rounded to %d bits of %s before it is added; convert "
                            "the factors to float first, and multiply these",
                            gr_dtype_digits(model->type), gr_dtype_name(model->type));
        else
            gr_findings_add(
                findings, GR_FIND_WRONG_ELEMENT, 0,
                "the sum is kept in %s: it is rounded to %d bits at each of %lld steps, "
                "and the error grows with K; accumulate in %s",
                gr_dtype_name(model->type), gr_dtype_digits(model->type),
                (long long)((p->k + model->step - 1) / model->step), gr_dtype_name(p->types.acc));
        return;
    }
}
