/* meaning.h: helpers for the files meaning_<name>.c. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MEANING_H
#define MACHINE_MEANING_H

#include "machine/lane_functions.h"
#include "machine/translate.h"

/* The signs that an operand may have. NONE allows none. */
enum { GR_SIGN_NONE = 0, GR_SIGN_MINUS = 1, GR_SIGN_ABSOLUTE = 2, GR_SIGN_INVERTED = 4 };

/* Takes operand i as source n. Signs that are not in `signs` are refused. */
static inline void gr_set_source(struct gr_translation *t, struct gr_step *step, int n, int i,
                                 int words, int signs)
{
    step->s[n] = gr_source_make(t, i, words);
    if ((step->s[n].negated && !(signs & GR_SIGN_MINUS)) ||
        (step->s[n].absolute && !(signs & GR_SIGN_ABSOLUTE)) ||
        (step->s[n].inverted && !(signs & GR_SIGN_INVERTED)))
        gr_refuse(t, "operand %d has a sign without a meaning here", i);
}

static inline void gr_set_zero(struct gr_step *step, int n)
{
    step->s[n] = (struct gr_source){.slot = GR_SLOT_ZERO};
}

static inline bool gr_has_sign(const struct gr_step *step, int n)
{
    return step->s[n].negated || step->s[n].absolute || step->s[n].inverted;
}

/* Makes input predicate n constant. */
static inline void gr_set_predicate(struct gr_step *step, int n, bool value)
{
    step->p_in[n] = GR_PREDICATE_ALWAYS;
    step->p_in_flip = (uint8_t)((step->p_in_flip & ~(1u << n)) | (unsigned)!value << n);
}

static inline bool gr_is_predicate(const struct gr_translation *t, int i)
{
    return gr_operand_is(t, i, GR_OPERAND_PREDICATE) ||
           gr_operand_is(t, i, GR_OPERAND_UNIFORM_PREDICATE);
}

static inline bool gr_is_constant_predicate(const struct gr_translation *t, int i, bool value)
{
    return gr_is_predicate(t, i) && t->decoded->operand[i].number == GR_PREDICATE_TRUE &&
           t->decoded->operand[i].inverted == !value;
}

/* Takes the predicates that are results: up to two, from operand i on. Results without such an
 * operand are discarded. Returns the index of the operand after them. */
static inline int gr_set_results(struct gr_translation *t, struct gr_step *step, int i)
{
    step->p_out[0] = step->p_out[1] = GR_PREDICATE_SINK;
    for (int n = 0; n < 2 && gr_is_predicate(t, i); n++)
        step->p_out[n] = gr_predicate_out(t, i++);
    return i;
}

/* Refuses operands from i on. Returns whether the instruction has been accepted. */
static inline bool gr_end(struct gr_translation *t, int i)
{
    if (t->decoded->operand_count != i)
        gr_refuse(t, "%d operands", t->decoded->operand_count);
    return !t->refused;
}

static inline void gr_set_run(struct gr_translation *t, struct gr_step *step,
                              enum gr_lane_operation operation)
{
    step->run = t->lanes->run[operation];
}

static inline bool gr_flag(struct gr_translation *t, struct gr_step *step, const char *modifier,
                           uint32_t flag)
{
    bool has = gr_take(t, modifier);
    if (has)
        step->flags |= flag;
    return has;
}

/* Takes .AND, .OR or .XOR: how the result is combined with p_in[0]. */
static inline void gr_take_join(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_take(t, "AND") && !gr_flag(t, step, "OR", GR_FLAG_OR) &&
        !gr_flag(t, step, "XOR", GR_FLAG_XOR))
        gr_refuse(t, "neither AND nor OR nor XOR");
}

/* Takes .RN (or nothing), .RM, .RP or .RZ. */
static inline void gr_take_rounding(struct gr_translation *t, struct gr_step *step)
{
    static const char *const names[] = {"RN", "RM", "RP", "RZ", 0};
    step->rounding = (uint8_t)gr_take_one(t, names, GR_ROUND_NEAREST);
}

/* Takes .LT, .EQU, …, the comparison of floating-point numbers, as step->kind. */
bool gr_take_float_comparison(struct gr_translation *t, struct gr_step *step);

#endif
