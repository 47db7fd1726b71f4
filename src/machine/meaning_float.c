/* meaning_float.c: arithmetic and comparisons of float. SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/rare.h"

#include <string.h>

enum { SIGNS = GR_SIGN_MINUS | GR_SIGN_ABSOLUTE };

static void take_modes(struct gr_translation *t, struct gr_step *step)
{
    gr_take_rounding(t, step);
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    gr_flag(t, step, "SAT", GR_FLAG_SATURATE);
}

/* Takes operands 1 to n as sources 0 to n - 1. Returns whether any has a sign. */
static bool take_sources(struct gr_translation *t, struct gr_step *step, int count)
{
    bool any = false;
    step->d = gr_destination(t, 0);
    for (int n = 0; n < count; n++) {
        gr_set_source(t, step, n, n + 1, 1, SIGNS);
        any = any || gr_has_sign(step, n);
    }
    return any;
}

static void set_run(struct gr_translation *t, struct gr_step *step, bool signs,
                    enum gr_lane_operation simple, enum gr_lane_operation with_signs,
                    enum gr_lane_operation any)
{
    gr_set_run(t, step, step->flags || step->rounding ? any : signs ? with_signs : simple);
}

/* FADD d, a, b;  FMUL d, a, b;  FFMA d, a, b, c: .RN .RM .RP .RZ .FTZ .SAT; -x and |x| */
static bool fadd(struct gr_translation *t, struct gr_step *step)
{
    take_modes(t, step);
    bool signs = take_sources(t, step, 2);
    set_run(t, step, signs, GR_LANE_FADD, GR_LANE_FADD_SIGNS, GR_LANE_FADD_ANY);
    return gr_end(t, 3);
}

static bool fmul(struct gr_translation *t, struct gr_step *step)
{
    take_modes(t, step);
    bool signs = take_sources(t, step, 2);
    set_run(t, step, signs, GR_LANE_FMUL, GR_LANE_FMUL_SIGNS, GR_LANE_FMUL_ANY);
    return gr_end(t, 3);
}

static bool ffma(struct gr_translation *t, struct gr_step *step)
{
    take_modes(t, step);
    bool signs = take_sources(t, step, 3);
    set_run(t, step, signs, GR_LANE_FFMA, GR_LANE_FFMA_SIGNS, GR_LANE_FFMA_ANY);
    return gr_end(t, 4);
}

/* FMNMX d, a, b, p;  FMNMX3 d, a, b, c, p: the minimum if p */
static bool fmnmx(struct gr_translation *t, struct gr_step *step)
{
    int count = strstr(t->decoded->mnemonic, "MNMX3") ? 3 : 2;
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    gr_flag(t, step, "NAN", GR_FLAG_NAN);
    gr_flag(t, step, "XORSIGN", GR_FLAG_XORSIGN);
    gr_set_zero(step, 2);
    take_sources(t, step, count);
    if (count == 3)
        step->flags |= GR_FLAG_ADD;
    if (count == 3 && step->flags & GR_FLAG_XORSIGN)
        return gr_refuse(t, "XORSIGN of three has no meaning here");
    gr_predicate_in(t, count + 1, step, 0);
    gr_set_run(t, step, GR_LANE_FMNMX);
    return gr_end(t, count + 2);
}

/* FSEL d, a, b, p: a if p */
static bool fsel(struct gr_translation *t, struct gr_step *step)
{
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    take_sources(t, step, 2);
    gr_predicate_in(t, 3, step, 0);
    gr_set_run(t, step, GR_LANE_FSEL);
    return gr_end(t, 4);
}

/* FSETP.LT.FTZ.AND p, q, a, b, r: see ISETP */
static bool fsetp(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_take_float_comparison(t, step))
        return false;
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    gr_take_join(t, step);
    if (gr_set_results(t, step, 0) != 2)
        return gr_refuse(t, "this form has no meaning here");
    gr_set_source(t, step, 0, 2, 1, SIGNS);
    gr_set_source(t, step, 1, 3, 1, SIGNS);
    gr_predicate_in(t, 4, step, 0);
    gr_set_run(t, step, GR_LANE_FSETP);
    return gr_end(t, 5);
}

/* FSET[.BF].LT.AND d, a, b, p: 1.0f or all ones if a < b and p, else 0 */
static bool fset(struct gr_translation *t, struct gr_step *step)
{
    gr_flag(t, step, "BF", GR_FLAG_FLOAT);
    if (!gr_take_float_comparison(t, step))
        return false;
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    gr_take_join(t, step);
    take_sources(t, step, 2);
    gr_predicate_in(t, 3, step, 0);
    gr_set_run(t, step, GR_LANE_FSET);
    return gr_end(t, 4);
}

bool gr_take_float_comparison(struct gr_translation *t, struct gr_step *step)
{
    static const char *const kinds[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",
                                        "GE",  "NUM", "NAN", "LTU", "EQU", "LEU",
                                        "GTU", "NEU", "GEU", "T",   0};
    int kind = gr_take_one(t, kinds, -1);
    if (kind < 0)
        return gr_refuse(t, "no comparison");
    step->kind = (uint8_t)kind; /* the bits of step->kind are in the order of these names */
    return true;
}

/* FCHK p, a, b: p is set if a / b needs the slow path of the division */
static bool fchk(struct gr_translation *t, struct gr_step *step)
{
    gr_take(t, "DIVIDE");
    gr_set_results(t, step, 0);
    gr_set_source(t, step, 0, 1, 1, SIGNS);
    gr_set_source(t, step, 1, 2, 1, SIGNS);
    step->run = gr_rare_fchk;
    return gr_end(t, 3);
}

/* MUFU.RCP d, a */
static bool mufu(struct gr_translation *t, struct gr_step *step)
{
    static const char *const names[] = {"COS",    "SIN",    "EX2",  "LG2",  "RCP", "RSQ",
                                        "RCP64H", "RSQ64H", "SQRT", "TANH", 0};
    static const char *const halves[] = {"H0_H0", "H1_H1", 0};
    int kind = gr_take_one(t, names, -1);
    if (kind < 0)
        return gr_refuse(t, "no function");
    step->kind = (uint8_t)kind;
    bool half = gr_take(t, "F16");
    bool bfloat = !half && (gr_flag(t, step, "BF16", GR_FLAG_BFLOAT) ||
                            gr_flag(t, step, "BF16_V2", GR_FLAG_BFLOAT));
    if (half || bfloat) {
        if (gr_take_suffix(t, 1, "H1") || gr_take_one_suffix(t, 1, halves, 0) == 1)
            step->flags |= GR_FLAG_UPPER;
        step->flags |= GR_FLAG_PACKED;
    }
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, SIGNS);
    step->run = gr_rare_mufu;
    return gr_end(t, 2);
}

static const struct gr_meaning list[] = {
    {"FADD", fadd},    {"FMUL", fmul},   {"FFMA", ffma},  {"FMNMX", fmnmx},  {"FMNMX3", fmnmx},
    {"FSEL", fsel},    {"FSETP", fsetp}, {"FSET", fset},  {"FCHK", fchk},    {"MUFU", mufu},
    {"UFADD", fadd},   {"UFMUL", fmul},  {"UFFMA", ffma}, {"UFMNMX", fmnmx}, {"UFSEL", fsel},
    {"UFSETP", fsetp}, {"UFSET", fset},  {0, 0},
};
const struct gr_meanings gr_meanings_float = {list};
