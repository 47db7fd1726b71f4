/* meaning_integer.c: integer sums, products and comparisons. SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/rare.h"

#include <string.h>

/* Takes the operands from i on as carries, as long as they are predicates, at most two, as inputs
 * from n on. Missing ones are false. */
static int take_carries(struct gr_translation *t, struct gr_step *step, int i, int count)
{
    gr_set_predicate(step, 0, false);
    gr_set_predicate(step, 1, false);
    for (int n = 0; n < count; n++)
        gr_predicate_in(t, i++, step, n);
    return i;
}

/* IADD3   d, [carry, [carry,]] a, b, c
 * IADD3.X d, [carry, [carry,]] a, b, c, p, q     p, q: carries in; -x means ~x
 * UIADD3.64 d, [UPT, UPT,] a, b, c */
static bool iadd3(struct gr_translation *t, struct gr_step *step)
{
    bool extended = gr_take(t, "X"), wide = gr_take(t, "64");
    int words = wide ? 2 : 1, signs = extended ? GR_SIGN_INVERTED : GR_SIGN_MINUS;
    step->d = gr_destination(t, 0);
    int i = gr_set_results(t, step, 1);
    bool carries = step->p_out[0] != GR_PREDICATE_SINK || step->p_out[1] != GR_PREDICATE_SINK;
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, i++, words, signs);
    i = take_carries(t, step, i, extended ? 2 : 0);
    bool flips = gr_has_sign(step, 0) || gr_has_sign(step, 1) || gr_has_sign(step, 2);
    if (wide && (extended || carries))
        return gr_refuse(t, "carries of 64 bits have no meaning here");
    gr_set_run(t, step,
               wide                  ? GR_LANE_IADD_PAIR
               : extended || carries ? GR_LANE_IADD3_ANY
               : flips               ? GR_LANE_IADD3_FLIPS
                                     : GR_LANE_IADD3);
    return gr_end(t, i);
}

/* VIADD d, a, b;  IADD.64 d, a, b;  VIADD.16x2, VIADD.U8x4 */
static bool iadd(struct gr_translation *t, struct gr_step *step)
{
    static const char *const packed[] = {"U8x4", "16x2", "S16x2", "U16x2", 0};
    bool wide = gr_take(t, "64");
    int kind = gr_take_one(t, packed, -1);
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, wide ? 2 : 1, GR_SIGN_MINUS);
    gr_set_source(t, step, 1, 2, wide ? 2 : 1, GR_SIGN_MINUS);
    gr_set_zero(step, 2);
    bool flips = gr_has_sign(step, 0) || gr_has_sign(step, 1);
    gr_set_run(t, step, wide ? GR_LANE_IADD_PAIR : flips ? GR_LANE_IADD3_FLIPS : GR_LANE_IADD3);
    if (kind >= 0) {
        step->bytes = kind ? 2 : 1;
        step->run = gr_rare_packed_add;
    }
    return gr_end(t, 3);
}

static bool is_zero(const struct gr_step *step, int n)
{
    return !step->s[n].fixed && step->s[n].slot == GR_SLOT_ZERO && !gr_has_sign(step, n);
}

/* Returns the exponent if a constant operand is a power of two, else -1. */
static int power_of(const struct gr_step *step, int n)
{
    uint32_t x = step->s[n].fixed ? step->s[n].fixed[0][0] : 0;
    if (!x || x & (x - 1) || gr_has_sign(step, n))
        return -1;
    return __builtin_ctz(x);
}

/* IMAD.WIDE d, [carry,] a, b, c[, p], and IMAD.HI with the same operands. c is a pair. The carry
 * out is that of the 64-bit sum. */
static bool imad_wide(struct gr_translation *t, struct gr_step *step, bool high)
{
    bool is_unsigned = gr_flag(t, step, "U32", GR_FLAG_UNSIGNED);
    if (!is_unsigned)
        gr_take(t, "S32");
    if (high)
        step->flags |= GR_FLAG_HIGH;
    bool extended = gr_take(t, "X");
    step->d = gr_destination(t, 0);
    int i = gr_set_results(t, step, 1);
    bool carries = step->p_out[0] != GR_PREDICATE_SINK;
    if (step->p_out[1] != GR_PREDICATE_SINK || (carries && !is_unsigned))
        return gr_refuse(t, "these carries have no meaning here");
    gr_set_source(t, step, 0, i++, 1, GR_SIGN_MINUS);
    gr_set_source(t, step, 1, i++, 1, GR_SIGN_MINUS);
    gr_set_source(t, step, 2, i++, 2, extended ? GR_SIGN_INVERTED : GR_SIGN_MINUS);
    i = take_carries(t, step, i, extended ? 1 : 0);
    bool flips = gr_has_sign(step, 0) || gr_has_sign(step, 1) || gr_has_sign(step, 2);
    if (carries && flips)
        return gr_refuse(t, "carries with signs have no meaning here");
    gr_set_run(t, step, is_unsigned ? GR_LANE_IMAD_WIDE_U32 : GR_LANE_IMAD_WIDE);
    int power = power_of(step, 1);
    if (power >= 1 && power <= 30) {
        step->value = power;
        gr_set_run(t, step, GR_LANE_IMAD_WIDE_SHIFT);
    }
    if (high || extended || carries || flips)
        gr_set_run(t, step, GR_LANE_IMAD_WIDE_ANY);
    return gr_end(t, i);
}

/* IMAD[.MOV|.SHL|.IADD][.U32][.X] d, a, b, c[, p]. The modifiers .MOV, .SHL and .IADD only describe
 * the use. With .X, p is added, and a minus sign of c means ~c. */
static bool imad(struct gr_translation *t, struct gr_step *step)
{
    if (gr_take(t, "WIDE"))
        return imad_wide(t, step, false);
    if (gr_take(t, "HI"))
        return imad_wide(t, step, true);
    static const char *const uses[] = {"MOV", "SHL", "IADD", 0}, *const types[] = {"U32", "S32", 0};
    gr_take_one(t, uses, 0);
    gr_take_one(t, types, 0);
    bool extended = gr_take(t, "X");
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_MINUS);
    gr_set_source(t, step, 1, 2, 1, GR_SIGN_MINUS);
    gr_set_source(t, step, 2, 3, 1, extended ? GR_SIGN_INVERTED : GR_SIGN_MINUS);
    int i = take_carries(t, step, 4, extended ? 1 : 0);
    bool flips = gr_has_sign(step, 0) || gr_has_sign(step, 1) || gr_has_sign(step, 2);
    if (flips || extended) {
        gr_set_run(t, step, GR_LANE_IMAD_ANY);
    } else if (is_zero(step, 0) || is_zero(step, 1)) {
        step->s[0] = step->s[2];
        gr_set_run(t, step, GR_LANE_MOV);
    } else if (power_of(step, 1) == 0) {
        gr_set_zero(step, 1);
        gr_set_run(t, step, GR_LANE_IADD3);
    } else if (power_of(step, 1) > 0 && is_zero(step, 2)) {
        step->value = power_of(step, 1);
        gr_set_run(t, step, GR_LANE_SHL);
    } else {
        gr_set_run(t, step, GR_LANE_IMAD);
    }
    return gr_end(t, i);
}

/* LEA[.X]          d, [carry,] a, b, shift[, p]
 * LEA.HI[.X]       d, [carry,] a, b, c, shift[, p]      (c:a) is shifted
 * LEA.HI.X.SX32    d, [carry,] a, b, shift[, p] */
static bool lea(struct gr_translation *t, struct gr_step *step)
{
    bool high = gr_take(t, "HI"), extended = gr_take(t, "X");
    bool sign = gr_flag(t, step, "SX32", GR_FLAG_SIGN);
    step->d = gr_destination(t, 0);
    int i = gr_set_results(t, step, 1);
    if (step->p_out[1] != GR_PREDICATE_SINK || (sign && !high))
        return gr_refuse(t, "this form has no meaning here");
    gr_set_source(t, step, 0, i++, 1, high || extended ? GR_SIGN_NONE : GR_SIGN_MINUS);
    gr_set_source(t, step, 1, i++, 1, extended ? GR_SIGN_INVERTED : GR_SIGN_MINUS);
    gr_set_zero(step, 2);
    if (high && !sign)
        gr_set_source(t, step, 2, i++, 1, GR_SIGN_NONE);
    step->value = gr_immediate(t, i++);
    if (step->value < 0 || step->value > 31)
        return gr_refuse(t, "a shift by %lld", (long long)step->value);
    i = take_carries(t, step, i, extended ? 1 : 0);
    bool any = extended || step->p_out[0] != GR_PREDICATE_SINK || gr_has_sign(step, 0) ||
               gr_has_sign(step, 1);
    gr_set_run(t, step, high ? GR_LANE_LEA_HI_ANY : any ? GR_LANE_LEA_ANY : GR_LANE_LEA);
    return gr_end(t, i);
}

/* IMNMX, VIMNMX d, [PT, PT,] a, b, p;  VIADDMNMX d, a, b, c, p;  VIMNMX3 d, a, b, c, p: the minimum
 * if p. IMNMX, UIMNMX[.S64] of sm_120 PT, PT, d, a, b, p, !PT */
static bool extremes(struct gr_translation *t, struct gr_step *step)
{
    static const char *const types[] = {"S32",   "U32",  "S64",  "U64", "S16x2",
                                        "U16x2", "U8x4", "S8x4", 0};
    const char *name = t->decoded->mnemonic;
    bool add = !strcmp(name, "VIADDMNMX"), three = !strcmp(name, "VIMNMX3");
    int type = gr_take_one(t, types, 0), i = 0;
    bool wide = type == 2 || type == 3;
    const enum gr_operand_kind first = t->decoded->operand[0].kind;
    bool long_form = first == GR_OPERAND_PREDICATE || first == GR_OPERAND_UNIFORM_PREDICATE;
    if (type == 1 || type == 3 || type == 5 || type == 6)
        step->flags |= GR_FLAG_UNSIGNED;
    gr_flag(t, step, "RELU", GR_FLAG_RELU);
    if (long_form)
        i = gr_set_results(t, step, i);
    step->d = gr_destination(t, i++);
    if (!long_form)
        i = gr_set_results(t, step, i);
    if (step->p_out[0] != GR_PREDICATE_SINK || step->p_out[1] != GR_PREDICATE_SINK)
        return gr_refuse(t, "the predicates have no meaning here");
    gr_set_source(t, step, 0, i++, wide ? 2 : 1, add ? GR_SIGN_MINUS : GR_SIGN_NONE);
    gr_set_source(t, step, 1, i++, wide ? 2 : 1, add ? GR_SIGN_MINUS : GR_SIGN_NONE);
    gr_set_zero(step, 2);
    if (add || three)
        gr_set_source(t, step, 2, i++, 1, GR_SIGN_NONE);
    gr_predicate_in(t, i++, step, 0);
    if (long_form && !gr_is_constant_predicate(t, i++, false))
        return gr_refuse(t, "the last predicate has no meaning here");
    if (add || three)
        step->flags |= GR_FLAG_ADD;
    gr_set_run(t, step, three ? GR_LANE_IMNMX3 : GR_LANE_IMNMX);
    step->kind = three;
    step->bytes = wide ? 8 : type >= 6 ? 1 : type >= 4 ? 2 : 4;
    if (wide && step->flags & GR_FLAG_RELU)
        return gr_refuse(t, "RELU has no meaning here");
    if (step->bytes != 4)
        step->run = gr_rare_extremes;
    if (step->bytes == 1 && (step->flags & (GR_FLAG_RELU | GR_FLAG_ADD)))
        return gr_refuse(t, "this form has no meaning here");
    return gr_end(t, i);
}

static bool one_operand(struct gr_translation *t, struct gr_step *step, int signs)
{
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, signs);
    return gr_end(t, 2);
}

/* IABS d, a */
static bool iabs(struct gr_translation *t, struct gr_step *step)
{
    gr_set_run(t, step, GR_LANE_IABS);
    return one_operand(t, step, GR_SIGN_NONE);
}

/* POPC d, a; BREV d, a; FLO[.U32][.SH] d, a. The operand may be ~a. */
static bool popc(struct gr_translation *t, struct gr_step *step)
{
    gr_set_run(t, step, GR_LANE_POPC);
    return one_operand(t, step, GR_SIGN_INVERTED);
}

static bool brev(struct gr_translation *t, struct gr_step *step)
{
    gr_set_run(t, step, GR_LANE_BREV);
    return one_operand(t, step, GR_SIGN_INVERTED);
}

static bool flo(struct gr_translation *t, struct gr_step *step)
{
    gr_flag(t, step, "U32", GR_FLAG_UNSIGNED);
    gr_flag(t, step, "SH", GR_FLAG_SHIFT);
    gr_set_run(t, step, GR_LANE_FLO);
    return one_operand(t, step, GR_SIGN_INVERTED);
}

/* IDP.4A.U8.S8 d, a, b, c;  IDP.2A.LO.S16.U8 d, a, b, c */
static bool idp(struct gr_translation *t, struct gr_step *step)
{
    static const char *const types4[] = {"S8", "U8", 0}, *const types2[] = {"S16", "U16", 0};
    bool two = gr_take(t, "2A");
    if (!two && !gr_take(t, "4A"))
        return gr_refuse(t, "neither 2A nor 4A");
    if (two && !gr_take(t, "LO") && !gr_flag(t, step, "HI", GR_FLAG_UPPER))
        return gr_refuse(t, "neither LO nor HI");
    int a = gr_take_one(t, two ? types2 : types4, -1), b = gr_take_one(t, types4, -1);
    /* In .U8.S8 the first modifier is the type of a, and the second that of b. gr_take takes the
     * first place of a name, so the order matters only if the two differ. */
    int first = -1;
    for (int i = 0; !two && i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++)
        if (first < 0 && t->decoded->modifier[i][1] == '8' && !t->decoded->modifier[i][2])
            first = t->decoded->modifier[i][0] == 'U';
    if (a < 0 || b < 0)
        return gr_refuse(t, "types without a meaning here");
    if (!two && a != b) {
        a = first;
        b = !first;
    }
    step->flags |= (a ? GR_FLAG_UNSIGNED : 0) | (b ? GR_FLAG_UNSIGNED_B : 0);
    step->d = gr_destination(t, 0);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, n + 1, 1, GR_SIGN_NONE);
    gr_set_run(t, step, two ? GR_LANE_IDP2 : GR_LANE_IDP4);
    return gr_end(t, 4);
}

/* VABSDIFF[.U32] d, a, b, c: |a - b| + c. VABSDIFF4.U8 d, a, b, c: of each byte, and c is not read;
 * with .ACC, their sum + c. */
static bool absdiff(struct gr_translation *t, struct gr_step *step)
{
    bool bytes = !strcmp(t->decoded->mnemonic, "VABSDIFF4");
    step->d = gr_destination(t, 0);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, n + 1, 1, GR_SIGN_NONE);
    if (bytes) {
        gr_flag(t, step, "ACC", GR_FLAG_ADD);
        if (!gr_take(t, "U8"))
            return gr_refuse(t, "this form has no meaning here");
        step->run = gr_rare_byte_differences;
    } else {
        gr_flag(t, step, "U32", GR_FLAG_UNSIGNED);
        gr_set_run(t, step, GR_LANE_ABSDIFF);
    }
    return gr_end(t, 4);
}

static bool is_comparison(const struct gr_step *step)
{
    return step->kind >= 1 && step->kind <= 6;
}

/* ISETP.LT.U32.AND p, q, a, b, r[, s]: p = (a < b) and r, q = not (a < b) and r. With .EX, a and b
 * are upper words, and s is the comparison of the lower ones. With .U64, they are pairs. */
static bool isetp(struct gr_translation *t, struct gr_step *step)
{
    static const char *const kinds[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T", 0};
    static const char *const types[] = {"S32", "U32", "S64", "U64", 0};
    int kind = gr_take_one(t, kinds, -1), type = gr_take_one(t, types, 0);
    if (kind < 0)
        return gr_refuse(t, "no comparison");
    step->kind = (uint8_t)kind; /* the bits of step->kind are in the order of these names */
    if (type & 1)
        step->flags |= GR_FLAG_UNSIGNED;
    bool extended = gr_flag(t, step, "EX", GR_FLAG_EXTENDED), wide = type >= 2;
    gr_take_join(t, step);
    int i = gr_set_results(t, step, 0);
    if (i != 2 || (extended && wide))
        return gr_refuse(t, "this form has no meaning here");
    gr_set_source(t, step, 0, i++, wide ? 2 : 1, wide ? GR_SIGN_NONE : GR_SIGN_MINUS);
    gr_set_source(t, step, 1, i++, wide ? 2 : 1, wide ? GR_SIGN_NONE : GR_SIGN_MINUS);
    gr_predicate_in(t, i++, step, 0);
    if (extended)
        gr_predicate_in(t, i++, step, 1);
    bool any = extended || !is_comparison(step) || gr_has_sign(step, 0) || gr_has_sign(step, 1);
    gr_set_run(t, step, wide ? GR_LANE_ISETP_PAIR : any ? GR_LANE_ISETP_ANY : GR_LANE_ISETP);
    return gr_end(t, i);
}

static const struct gr_meaning list[] = {
    {"IADD3", iadd3},
    {"UIADD3", iadd3},
    {"VIADD", iadd},
    {"UVIADD", iadd},
    {"IADD", iadd},
    {"IMAD", imad},
    {"UIMAD", imad},
    {"LEA", lea},
    {"ULEA", lea},
    {"IMNMX", extremes},
    {"VIMNMX", extremes},
    {"VIMNMX3", extremes},
    {"UVIMNMX", extremes},
    {"UIMNMX", extremes},
    {"VIADDMNMX", extremes},
    {"IABS", iabs},
    {"UIABS", iabs},
    {"POPC", popc},
    {"UPOPC", popc},
    {"BREV", brev},
    {"UBREV", brev},
    {"FLO", flo},
    {"UFLO", flo},
    {"IDP", idp},
    {"VABSDIFF", absdiff},
    {"VABSDIFF4", absdiff},
    {"ISETP", isetp},
    {"UISETP", isetp},
    {0, 0},
};
const struct gr_meanings gr_meanings_integer = {list};
