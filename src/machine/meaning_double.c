/* meaning_double.c: arithmetic and comparisons of double, and pairs of float.
 * SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/rare.h"

enum { SIGNS = GR_SIGN_MINUS | GR_SIGN_ABSOLUTE };

/* DADD d, a, b; DMUL d, a, b; DFMA d, a, b, c, with .RN .RM .RP .RZ, -x and |x|. All operands are
 * pairs. */
static bool arithmetic(struct gr_translation *t, struct gr_step *step,
                       enum gr_lane_operation operation, int count)
{
    gr_take_rounding(t, step);
    step->d = gr_destination(t, 0);
    for (int n = 0; n < count; n++)
        gr_set_source(t, step, n, n + 1, 2, SIGNS);
    gr_set_run(t, step, operation);
    return gr_end(t, count + 1);
}

static bool dadd(struct gr_translation *t, struct gr_step *step)
{
    return arithmetic(t, step, GR_LANE_DADD, 2);
}

static bool dmul(struct gr_translation *t, struct gr_step *step)
{
    return arithmetic(t, step, GR_LANE_DMUL, 2);
}

static bool dfma(struct gr_translation *t, struct gr_step *step)
{
    return arithmetic(t, step, GR_LANE_DFMA, 3);
}

/* DSETP.LT.AND p, q, a, b, r: see ISETP. DSETP.MIN.AND p, q, a, b, PT: p is set if the minimum is
 * a, q if both are NaN. */
static bool dsetp(struct gr_translation *t, struct gr_step *step)
{
    static const char *const extremes[] = {"MIN", "MAX", 0};
    int extreme = gr_take_one(t, extremes, -1);
    if (extreme < 0 && !gr_take_float_comparison(t, step))
        return false;
    gr_take_join(t, step);
    if (gr_set_results(t, step, 0) != 2)
        return gr_refuse(t, "this form has no meaning here");
    gr_set_source(t, step, 0, 2, 2, SIGNS);
    gr_set_source(t, step, 1, 3, 2, SIGNS);
    gr_predicate_in(t, 4, step, 0);
    gr_set_run(t, step, GR_LANE_DSETP);
    if (extreme >= 0) {
        if (step->flags || !gr_is_constant_predicate(t, 4, true))
            return gr_refuse(t, "this form has no meaning here");
        step->kind = (uint8_t)extreme;
        step->run = gr_rare_double_extreme;
    }
    return gr_end(t, 5);
}

/* FADD2 d, a, b; FMUL2 d, a, b; FFMA2 d, a, b, c: on pairs of floats, written R4.F32x2.HI_LO. The
 * function for one float is executed for each word. */
static bool twice(struct gr_translation *t, struct gr_step *step, enum gr_lane_operation operation,
                  int count)
{
    gr_take_rounding(t, step);
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    step->d = gr_destination(t, 0);
    for (int n = 0; n < count; n++) {
        gr_set_source(t, step, n, n + 1, 2, GR_SIGN_MINUS);
        if (step->s[n].fixed)
            return gr_refuse(t, "a pair that is no register has no meaning here");
        gr_take_suffix(t, n + 1, "F32x2");
        gr_take_suffix(t, n + 1, "HI_LO");
    }
    step->value = (int64_t)(uintptr_t)t->lanes->run[operation];
    step->run = gr_rare_twice;
    step->bytes = (uint8_t)count;
    return gr_end(t, count + 1);
}

static bool fadd2(struct gr_translation *t, struct gr_step *step)
{
    return twice(t, step, GR_LANE_FADD_ANY, 2);
}

static bool fmul2(struct gr_translation *t, struct gr_step *step)
{
    return twice(t, step, GR_LANE_FMUL_ANY, 2);
}

static bool ffma2(struct gr_translation *t, struct gr_step *step)
{
    return twice(t, step, GR_LANE_FFMA_ANY, 3);
}

static const struct gr_meaning list[] = {
    {"DADD", dadd},   {"DMUL", dmul},   {"DFMA", dfma},   {"DSETP", dsetp},
    {"FADD2", fadd2}, {"FMUL2", fmul2}, {"FFMA2", ffma2}, {0, 0},
};
const struct gr_meanings gr_meanings_double = {list};
