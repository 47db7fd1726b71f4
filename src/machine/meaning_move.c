/* meaning_move.c: moves, selections, logic, shifts, bytes, bits and predicates.
 * SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/rare.h"

/* MOV d, a;  MOV.64 d, a;  UMOV */
static bool mov(struct gr_translation *t, struct gr_step *step)
{
    bool wide = gr_take(t, "64");
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, wide ? 2 : 1, GR_SIGN_NONE);
    gr_set_run(t, step, wide ? GR_LANE_MOV_PAIR : GR_LANE_MOV);
    return gr_end(t, 2);
}

/* SEL d, a, b, p: a if p;  SEL.64;  USEL */
static bool sel(struct gr_translation *t, struct gr_step *step)
{
    bool wide = gr_take(t, "64");
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, wide ? 2 : 1, GR_SIGN_NONE);
    gr_set_source(t, step, 1, 2, wide ? 2 : 1, GR_SIGN_NONE);
    gr_predicate_in(t, 3, step, 0);
    gr_set_run(t, step, wide ? GR_LANE_SEL_PAIR : GR_LANE_SEL);
    return gr_end(t, 4);
}

/* LOP3.LUT [p,] d, a, b, c, table, q: p = d != 0 or q; .PAND: and q */
static bool lop3(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_take(t, "LUT"))
        return gr_refuse(t, "no table");
    bool both = gr_take(t, "PAND");
    if (!both)
        step->flags |= GR_FLAG_OR;
    int i = gr_set_results(t, step, 0);
    if (step->p_out[1] != GR_PREDICATE_SINK)
        return gr_refuse(t, "a second predicate has no meaning here");
    step->d = gr_destination(t, i++);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, i++, 1, GR_SIGN_NONE);
    step->lut = (uint8_t)gr_immediate(t, i++);
    gr_predicate_in(t, i++, step, 0);
    static const struct {
        uint8_t lut;
        uint8_t operation;
    } known[] = {{0xc0, GR_LANE_LOP3_AND},  {0xfc, GR_LANE_LOP3_OR},     {0x3c, GR_LANE_LOP3_XOR},
                 {0x96, GR_LANE_LOP3_XOR3}, {0xea, GR_LANE_LOP3_AND_OR}, {0x33, GR_LANE_LOP3_NOT}};
    enum gr_lane_operation operation = GR_LANE_LOP3;
    uint32_t sum = step->lut; /* in the form that lanes_integer.h expects */
    for (uint32_t bit = 1; bit < 8; bit *= 2)
        for (uint32_t j = 0; j < 8; j++)
            if (j & bit)
                sum ^= (sum >> (j ^ bit) & 1) << j;
    step->lut2 = (uint8_t)sum;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].lut == step->lut)
            operation = known[k].operation;
    if (step->p_out[0] != GR_PREDICATE_SINK)
        operation = GR_LANE_LOP3_TEST;
    gr_set_run(t, step, operation);
    return gr_end(t, i);
}

/* SHF.{L|R}[.W].{U32|S32|U64|S64}[.HI] d, a, count, c: (c:a) is shifted; .HI: its upper word */
static bool shf(struct gr_translation *t, struct gr_step *step)
{
    static const char *const types[] = {"U32", "S32", "U64", "S64", 0};
    bool right = gr_flag(t, step, "R", GR_FLAG_RIGHT);
    if (!right && !gr_take(t, "L"))
        return gr_refuse(t, "neither L nor R");
    bool wrap = gr_flag(t, step, "W", GR_FLAG_WRAP);
    int type = gr_take_one(t, types, -1);
    if (type < 0)
        return gr_refuse(t, "no type");
    step->flags |= (type & 1 ? 0 : GR_FLAG_UNSIGNED) | (type >= 2 ? GR_FLAG_WIDE : 0);
    bool high = gr_flag(t, step, "HI", GR_FLAG_HIGH);
    step->d = gr_destination(t, 0);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, n + 1, 1, GR_SIGN_NONE);
    bool immediate = gr_operand_is(t, 2, GR_OPERAND_IMMEDIATE);
    uint32_t count = immediate ? (uint32_t)gr_immediate(t, 2) : 32;
    gr_set_run(t, step, GR_LANE_SHF);
    step->value = count;
    if (count < 32 && !right && !high) {
        gr_set_run(t, step, GR_LANE_SHL);
    } else if (count < 32 && right && high) {
        step->s[0] = step->s[2];
        gr_set_run(t, step, type & 1 ? GR_LANE_SHR_S32 : GR_LANE_SHR_U32);
    }
    (void)wrap; /* for counts below 32, wrapping changes nothing */
    return gr_end(t, 4);
}

/* PRMT[.mode] d, a, choice, c */
static bool prmt(struct gr_translation *t, struct gr_step *step)
{
    static const char *const modes[] = {"IDX", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", 0};
    step->kind = (uint8_t)gr_take_one(t, modes, 0);
    step->d = gr_destination(t, 0);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, n + 1, 1, GR_SIGN_NONE);
    gr_set_run(t, step, GR_LANE_PRMT);
    if (step->kind) {
        step->run = gr_rare_prmt;
    } else if (gr_operand_is(t, 2, GR_OPERAND_IMMEDIATE) && !(gr_immediate(t, 2) & 0x8888)) {
        step->value = gr_immediate(t, 2) & 0xffff;
        gr_set_run(t, step, GR_LANE_PRMT_FIXED);
    }
    return gr_end(t, 4);
}

/* SGXT[.W][.U32] d, a, bits;  BMSK[.W] d, from, bits */
static bool sgxt(struct gr_translation *t, struct gr_step *step)
{
    gr_flag(t, step, "W", GR_FLAG_WRAP);
    gr_flag(t, step, "U32", GR_FLAG_UNSIGNED);
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_NONE);
    gr_set_source(t, step, 1, 2, 1, GR_SIGN_NONE);
    gr_set_run(t, step, GR_LANE_SGXT);
    return gr_end(t, 3);
}

static bool bmsk(struct gr_translation *t, struct gr_step *step)
{
    gr_flag(t, step, "W", GR_FLAG_WRAP);
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_NONE);
    gr_set_source(t, step, 1, 2, 1, GR_SIGN_NONE);
    gr_set_run(t, step, GR_LANE_BMSK);
    return gr_end(t, 3);
}

/* PLOP3.LUT p, q, a, b, c, table, table */
static bool plop3(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_take(t, "LUT"))
        return gr_refuse(t, "no table");
    if (gr_set_results(t, step, 0) != 2)
        return gr_refuse(t, "this form has no meaning here");
    for (int n = 0; n < 3; n++)
        gr_predicate_in(t, 2 + n, step, n);
    step->lut = (uint8_t)gr_immediate(t, 5);
    step->lut2 = (uint8_t)gr_immediate(t, 6);
    step->run = gr_rare_plop3;
    return gr_end(t, 7);
}

static int byte_of(struct gr_translation *t, int i)
{
    static const char *const bytes[] = {"B0", "B1", "B2", "B3", 0};
    return gr_take_one_suffix(t, i, bytes, 0);
}

/* P2R[.Bn] d, PR, a, mask: the predicates of mask replace those bits of byte n of a */
static bool p2r(struct gr_translation *t, struct gr_step *step)
{
    static const char *const bytes[] = {"B0", "B1", "B2", "B3", 0};
    step->d = gr_destination(t, 0);
    step->kind = (uint8_t)(8 * gr_take_one(t, bytes, byte_of(t, 0)));
    bool uniform = gr_operand_is(t, 0, GR_OPERAND_UNIFORM);
    step->p_in[0] = uniform ? GR_PREDICATE_UNIFORM : 0;
    gr_set_source(t, step, 0, 2, 1, GR_SIGN_NONE);
    gr_set_source(t, step, 1, 3, 1, GR_SIGN_NONE);
    if (!gr_operand_is(t, 1, GR_OPERAND_NAMED))
        return gr_refuse(t, "operand 1 is not PR");
    step->run = gr_rare_p2r;
    return gr_end(t, 4);
}

/* R2P PR, a[.Bn], mask: byte n of a gives the predicates of mask */
static bool r2p(struct gr_translation *t, struct gr_step *step)
{
    static const char *const bytes[] = {"B0", "B1", "B2", "B3", 0};
    step->kind = (uint8_t)(8 * gr_take_one(t, bytes, byte_of(t, 1)));
    bool uniform = gr_operand_is(t, 1, GR_OPERAND_UNIFORM);
    step->p_out[0] = uniform ? GR_PREDICATE_UNIFORM : 0;
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_NONE);
    gr_set_source(t, step, 1, 2, 1, GR_SIGN_NONE);
    if (!gr_operand_is(t, 0, GR_OPERAND_NAMED))
        return gr_refuse(t, "operand 0 is not PR");
    step->run = gr_rare_r2p;
    return gr_end(t, 3);
}

static const struct gr_meaning list[] = {
    {"MOV", mov},   {"UMOV", mov},   {"SEL", sel},     {"USEL", sel},
    {"LOP3", lop3}, {"ULOP3", lop3}, {"SHF", shf},     {"USHF", shf},
    {"PRMT", prmt}, {"UPRMT", prmt}, {"SGXT", sgxt},   {"USGXT", sgxt},
    {"BMSK", bmsk}, {"UBMSK", bmsk}, {"PLOP3", plop3}, {"UPLOP3", plop3},
    {"P2R", p2r},   {"UP2UR", p2r},  {"R2P", r2p},     {"UR2UP", r2p},
    {0, 0},
};
const struct gr_meanings gr_meanings_move = {list};
