/* meaning_half.c: arithmetic of two packed f16 or bf16. SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/pool.h"
#include "machine/rare.h"

enum { SIGNS = GR_SIGN_MINUS | GR_SIGN_ABSOLUTE };

static void take_types(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_flag(t, step, "BF16_V2", GR_FLAG_BFLOAT))
        gr_flag(t, step, "BF16", GR_FLAG_BFLOAT);
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
}

/* Takes operand i as source n: a register and which of its halves are read, or two immediates, the
 * upper half first. Returns the index of the operand after it. */
static int take_halves(struct gr_translation *t, struct gr_step *step, int n, int i)
{
    static const char *const selections[] = {"H1_H0", "H0_H0", "H1_H1", 0};
    if (gr_operand_is(t, i, GR_OPERAND_IMMEDIATE) &&
        gr_operand_is(t, i + 1, GR_OPERAND_IMMEDIATE)) {
        uint32_t high = (uint32_t)gr_immediate(t, i), low = (uint32_t)gr_immediate(t, i + 1);
        step->s[n] =
            (struct gr_source){.fixed = gr_pool_words(t->pool, high << 16 | (low & 0xffff), 0)};
        if (!step->s[n].fixed)
            gr_refuse(t, "not enough memory");
        return i + 2;
    }
    gr_set_source(t, step, n, i, 1, SIGNS);
    step->s[n].select = (uint8_t)gr_take_one_suffix(t, i, selections, 0);
    return i + 1;
}

/* Makes source n a constant that has the same number in both halves. */
static void set_number(struct gr_translation *t, struct gr_step *step, int n, uint32_t half)
{
    step->s[n] = (struct gr_source){.fixed = gr_pool_words(t->pool, half << 16 | half, 0)};
    if (!step->s[n].fixed)
        gr_refuse(t, "not enough memory");
}

static void set_fma(struct gr_translation *t, struct gr_step *step)
{
    gr_set_run(t, step, step->flags & GR_FLAG_BFLOAT ? GR_LANE_BFMA2 : GR_LANE_HFMA2);
}

/* HADD2[.F32] d, a, b is computed as a 1 + b. With .F32, the result is the sum of the lower halves
 * as a float. */
static bool hadd2(struct gr_translation *t, struct gr_step *step)
{
    bool is_float = gr_take(t, "F32");
    take_types(t, step);
    gr_flag(t, step, "SAT", GR_FLAG_SATURATE);
    step->d = gr_destination(t, 0);
    int i = take_halves(t, step, 0, 1);
    i = take_halves(t, step, is_float ? 1 : 2, i);
    if (is_float) {
        if (step->flags & (GR_FLAG_BFLOAT | GR_FLAG_FTZ))
            return gr_refuse(t, "this form has no meaning here");
        gr_set_run(t, step, GR_LANE_HALF_TO_FLOAT);
    } else {
        set_number(t, step, 1, step->flags & GR_FLAG_BFLOAT ? 0x3f80 : 0x3c00);
        set_fma(t, step);
    }
    return gr_end(t, i);
}

/* HMUL2 d, a, b is computed as a b - 0. */
static bool hmul2(struct gr_translation *t, struct gr_step *step)
{
    take_types(t, step);
    gr_flag(t, step, "SAT", GR_FLAG_SATURATE);
    step->d = gr_destination(t, 0);
    int i = take_halves(t, step, 0, 1);
    i = take_halves(t, step, 1, i);
    set_number(t, step, 2, 0x8000);
    set_fma(t, step);
    return gr_end(t, i);
}

static bool is_nan(uint32_t half, uint32_t infinity)
{
    return (half & 0x7fff) > infinity;
}

/* Is it -RZ RZ + constant, which loads a constant? Adding -0 to each half changes only a NaN. */
static bool is_constant(const struct gr_step *step)
{
    uint32_t infinity = step->flags & GR_FLAG_BFLOAT ? 0x7f80 : 0x7c00;
    const struct gr_source *a = &step->s[0], *b = &step->s[1], *c = &step->s[2];
    if (a->fixed || b->fixed || a->slot != GR_SLOT_ZERO || b->slot != GR_SLOT_ZERO || !c->fixed)
        return false;
    uint32_t x = c->fixed[0][0];
    return a->negated != b->negated && !gr_has_sign(step, 2) && !c->select &&
           !(step->flags & ~(uint32_t)GR_FLAG_BFLOAT) && !is_nan(x, infinity) &&
           !is_nan(x >> 16, infinity);
}

/* HFMA2[.MMA][.BF16_V2][.FTZ][.RELU|.SAT] d, a, b, c. The modifier .MMA only names the unit that
 * computes it. */
static bool hfma2(struct gr_translation *t, struct gr_step *step)
{
    gr_take(t, "MMA");
    take_types(t, step);
    gr_flag(t, step, "SAT", GR_FLAG_SATURATE);
    gr_flag(t, step, "RELU", GR_FLAG_RELU);
    step->d = gr_destination(t, 0);
    int i = 1;
    for (int n = 0; n < 3; n++)
        i = take_halves(t, step, n, i);
    set_fma(t, step);
    if (is_constant(step)) {
        step->s[0] = step->s[2];
        gr_set_run(t, step, GR_LANE_MOV);
    }
    return gr_end(t, i);
}

/* HMNMX2 d, a, b, p: the minimum if p */
static bool hmnmx2(struct gr_translation *t, struct gr_step *step)
{
    take_types(t, step);
    gr_flag(t, step, "NAN", GR_FLAG_NAN);
    gr_flag(t, step, "XORSIGN", GR_FLAG_XORSIGN);
    step->d = gr_destination(t, 0);
    int i = take_halves(t, step, 0, 1);
    i = take_halves(t, step, 1, i);
    gr_predicate_in(t, i++, step, 0);
    step->run = gr_rare_half_extreme;
    return gr_end(t, i);
}

/* HSETP2.LT.AND p, q, a, b, r: p for the lower halves, q for the upper ones, each combined with
 * r */
static bool hsetp2(struct gr_translation *t, struct gr_step *step)
{
    take_types(t, step);
    if (!gr_take_float_comparison(t, step))
        return false;
    gr_take_join(t, step);
    if (gr_set_results(t, step, 0) != 2)
        return gr_refuse(t, "this form has no meaning here");
    int i = take_halves(t, step, 0, 2);
    i = take_halves(t, step, 1, i);
    gr_predicate_in(t, i++, step, 0);
    step->run = gr_rare_half_test;
    return gr_end(t, i);
}

/* HSET2[.BF].LT.AND d, a, b, p: 1 or all ones in each half */
static bool hset2(struct gr_translation *t, struct gr_step *step)
{
    take_types(t, step);
    gr_flag(t, step, "BF", GR_FLAG_FLOAT);
    if (!gr_take_float_comparison(t, step))
        return false;
    gr_take_join(t, step);
    step->d = gr_destination(t, 0);
    int i = take_halves(t, step, 0, 1);
    i = take_halves(t, step, 1, i);
    gr_predicate_in(t, i++, step, 0);
    step->run = gr_rare_half_set;
    return gr_end(t, i);
}

static const struct gr_meaning list[] = {
    {"HADD2", hadd2},   {"HMUL2", hmul2}, {"HFMA2", hfma2}, {"HMNMX2", hmnmx2},
    {"HSETP2", hsetp2}, {"HSET2", hset2}, {0, 0},
};
const struct gr_meanings gr_meanings_half = {list};
