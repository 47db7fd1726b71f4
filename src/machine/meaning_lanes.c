/* meaning_lanes.c: instructions that exchange data between lanes: votes, shuffles, matches,
 * reductions. SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/rare.h"

/* VOTE.ANY [d,] p, q; VOTEU.ALL [ud,] up, q. d is the mask of the lanes that execute it and whose q
 * is true; p is set if any of them is, all are, or all are equal. */
static bool vote(struct gr_translation *t, struct gr_step *step)
{
    static const char *const kinds[] = {"ALL", "ANY", "EQ", 0};
    int kind = gr_take_one(t, kinds, -1), i = 0;
    if (kind < 0)
        return gr_refuse(t, "neither ALL nor ANY nor EQ");
    step->kind = (uint8_t)kind;
    step->d = GR_SLOT_SINK;
    if (!gr_is_predicate(t, 0))
        step->d = gr_destination(t, i++);
    step->p_out[0] = gr_predicate_out(t, i++);
    gr_predicate_in(t, i++, step, 0);
    if (t->decoded->mnemonic[4] == 'U')
        step->flags |= GR_FLAG_WIDE;
    step->run = gr_rare_vote;
    return gr_end(t, i);
}

/* SHFL.IDX p, d, a, b, c: reads from the lane that b gives, within the segment and the bound of
 * c */
static bool shfl(struct gr_translation *t, struct gr_step *step)
{
    static const char *const kinds[] = {"IDX", "UP", "DOWN", "BFLY", 0};
    int kind = gr_take_one(t, kinds, -1);
    if (kind < 0)
        return gr_refuse(t, "no mode");
    step->kind = (uint8_t)kind;
    step->p_out[0] = gr_predicate_out(t, 0);
    step->d = gr_destination(t, 1);
    for (int n = 0; n < 3; n++)
        gr_set_source(t, step, n, n + 2, 1, GR_SIGN_NONE);
    step->run = gr_rare_shfl;
    return gr_end(t, 5);
}

/* MATCH.ANY[.U64] d, a;  MATCH.ALL[.U64] p, d, a */
static bool match(struct gr_translation *t, struct gr_step *step)
{
    bool all = gr_take(t, "ALL"), wide = gr_flag(t, step, "U64", GR_FLAG_WIDE);
    if (!all && !gr_take(t, "ANY"))
        return gr_refuse(t, "neither ANY nor ALL");
    step->kind = all;
    step->p_out[0] = all ? gr_predicate_out(t, 0) : GR_PREDICATE_SINK;
    step->d = gr_destination(t, all);
    gr_set_source(t, step, 0, 1 + all, wide ? 2 : 1, GR_SIGN_NONE);
    step->run = gr_rare_match;
    return gr_end(t, 2 + all);
}

/* REDUX[.OR|.XOR|.SUM|.MIN|.MAX][.S32] ud, a: without a modifier, AND. CREDUX is the same, also for
 * floats: .MIN .MAX .MINABS .MAXABS, .F32, .NAN */
static bool redux(struct gr_translation *t, struct gr_step *step)
{
    static const char *const kinds[] = {"AND", "OR",     "XOR",    "SUM", "MIN",
                                        "MAX", "MINABS", "MAXABS", 0};
    step->kind = (uint8_t)gr_take_one(t, kinds, 0);
    bool is_float = gr_flag(t, step, "F32", GR_FLAG_FLOAT);
    gr_flag(t, step, "NAN", GR_FLAG_NAN);
    if (!gr_take(t, "S32"))
        step->flags |= GR_FLAG_UNSIGNED;
    if ((is_float && step->kind < 4) || (!is_float && step->kind > 5) ||
        (!is_float && step->flags & GR_FLAG_NAN))
        return gr_refuse(t, "this form has no meaning here");
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_NONE);
    step->run = gr_rare_redux;
    return gr_end(t, 2);
}

static void r2ur_differs(struct gr_warp *w, const struct gr_step *step, uint32_t active)
{
    const gr_lanes *a = gr_source_of(w, &step->s[0]);
    const uint32_t word = (*a)[__builtin_ctz(active)];
    uint32_t differs = step->flags & GR_FLAG_OR ? w->p[step->p_out[0]] & active : 0;
    for (uint32_t left = active; left; left &= left - 1)
        differs |= (uint32_t)((*a)[__builtin_ctz(left)] != word) << __builtin_ctz(left);
    gr_rare_r2ur(w, step, active);
    w->p[step->p_out[0]] = (w->p[step->p_out[0]] & ~active) | differs;
}

/* R2UR ud, a: the word of the lowest lane that executes it. R2UR p, ud, a: p is true in the lanes
 * whose a differs from it; R2UR.OR: or in which p was true. Compilers use it for loops over the
 * different words of a warp. */
static bool r2ur(struct gr_translation *t, struct gr_step *step)
{
    const int at = gr_is_predicate(t, 0);
    gr_flag(t, step, "OR", GR_FLAG_OR);
    if (at)
        step->p_out[0] = gr_predicate_out(t, 0);
    step->d = gr_destination(t, at);
    gr_set_source(t, step, 0, at + 1, 1, GR_SIGN_NONE);
    step->run = at ? r2ur_differs : gr_rare_r2ur;
    return gr_end(t, at + 2);
}

/* ELECT p, ud, q: ud is the lowest lane that executes it and whose q is true; p is true in it */
static bool elect(struct gr_translation *t, struct gr_step *step)
{
    step->p_out[0] = gr_predicate_out(t, 0);
    step->d = gr_destination(t, 1);
    gr_predicate_in(t, 2, step, 0);
    step->run = gr_rare_elect;
    return gr_end(t, 3);
}

static const struct gr_meaning list[] = {
    {"VOTE", vote},    {"VOTEU", vote}, {"SHFL", shfl},   {"MATCH", match}, {"REDUX", redux},
    {"CREDUX", redux}, {"R2UR", r2ur},  {"ELECT", elect}, {0, 0},
};
const struct gr_meanings gr_meanings_lanes = {list};
