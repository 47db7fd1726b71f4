/* translate.c: reads the modifiers, suffixes and operands of an instruction for its meaning.
 * SPDX-License-Identifier: MIT */
#include "machine/translate.h"

#include "machine/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gr_refuse(struct gr_translation *t, const char *format, ...)
{
    if (t->refused)
        return false;
    t->refused = true;
    int length = snprintf(t->why, sizeof t->why, "%s", t->decoded->mnemonic);
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++)
        if (length < (int)sizeof t->why)
            length += snprintf(t->why + length, sizeof t->why - (size_t)length, ".%s",
                               t->decoded->modifier[i]);
    if (length >= (int)sizeof t->why)
        return false;
    length += snprintf(t->why + length, sizeof t->why - (size_t)length, ": ");
    if (length >= (int)sizeof t->why)
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(t->why + length, sizeof t->why - (size_t)length, format, list);
    va_end(list);
    return false;
}

bool gr_take(struct gr_translation *t, const char *modifier)
{
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++)
        if (!(t->taken >> i & 1) && !strcmp(t->decoded->modifier[i], modifier)) {
            t->taken |= (uint16_t)(1 << i);
            return true;
        }
    return false;
}

int gr_take_one(struct gr_translation *t, const char *const *names, int otherwise)
{
    for (int i = 0; names[i]; i++)
        if (gr_take(t, names[i]))
            return i;
    return otherwise;
}

bool gr_take_suffix(struct gr_translation *t, int i, const char *suffix)
{
    if (i >= t->decoded->operand_count)
        return false;
    const struct gr_operand *o = &t->decoded->operand[i];
    for (int j = 0; j < GR_DECODED_SUFFIXES && o->suffix[j]; j++)
        if (!(t->suffixes_taken[i] >> j & 1) && !strcmp(o->suffix[j], suffix)) {
            t->suffixes_taken[i] |= (uint8_t)(1 << j);
            return true;
        }
    return false;
}

int gr_take_one_suffix(struct gr_translation *t, int i, const char *const *names, int otherwise)
{
    for (int j = 0; names[j]; j++)
        if (gr_take_suffix(t, i, names[j]))
            return j;
    return otherwise;
}

/* Returns operand i; if the instruction has fewer, an operand without a kind. */
static const struct gr_operand *operand(const struct gr_translation *t, int i)
{
    static const struct gr_operand none;
    return i >= 0 && i < t->decoded->operand_count ? &t->decoded->operand[i] : &none;
}

static uint16_t slot_of(const struct gr_operand *o)
{
    if (o->number == GR_REGISTER_ZERO)
        return GR_SLOT_ZERO;
    return (uint16_t)(o->number + (o->kind == GR_OPERAND_UNIFORM ? GR_SLOT_UNIFORM : 0));
}

static const gr_lanes *fixed_words(struct gr_translation *t, const struct gr_operand *o, int words)
{
    uint32_t low = (uint32_t)o->value, high = 0;
    if (o->kind == GR_OPERAND_IMMEDIATE && words == 2) {
        /* The decoder gives all bits of a double, but only the low word of an integer. */
        high = o->is_float ? (uint32_t)((uint64_t)o->value >> 32)
                           : (uint32_t)((int32_t)low < 0 ? -1 : 0);
    } else if (o->kind == GR_OPERAND_CONSTANT) {
        const struct gr_pool *pool = t->pool;
        bool known = pool->constant && pool->constant(pool->context, o->bank, o->value, &low) &&
                     (words == 1 || pool->constant(pool->context, o->bank, o->value + 4, &high));
        if (!known) {
            gr_refuse(t, "c[0x%x][0x%llx] is unknown", o->bank, (unsigned long long)o->value);
            return 0;
        }
    }
    const gr_lanes *fixed = gr_pool_words(t->pool, low, high);
    if (!fixed)
        gr_refuse(t, "not enough memory");
    return fixed;
}

struct gr_source gr_source_make(struct gr_translation *t, int i, int words)
{
    const struct gr_operand *o = operand(t, i);
    struct gr_source source = {.slot = GR_SLOT_ZERO,
                               .negated = o->negated,
                               .absolute = o->absolute,
                               .inverted = o->inverted};
    bool plain_constant = o->kind == GR_OPERAND_CONSTANT && !o->has_base && !o->has_uniform;
    if (o->kind == GR_OPERAND_REGISTER || o->kind == GR_OPERAND_UNIFORM)
        source.slot = slot_of(o);
    else if (o->kind == GR_OPERAND_IMMEDIATE || plain_constant)
        source.fixed = fixed_words(t, o, words);
    else
        gr_refuse(t, "operand %d is no register, constant or immediate", i);
    return source;
}

uint16_t gr_destination(struct gr_translation *t, int i)
{
    const struct gr_operand *o = operand(t, i);
    if (o->kind != GR_OPERAND_REGISTER && o->kind != GR_OPERAND_UNIFORM)
        gr_refuse(t, "operand %d is no register", i);
    uint16_t slot = slot_of(o);
    return slot == GR_SLOT_ZERO ? GR_SLOT_SINK : slot;
}

static bool is_predicate(const struct gr_operand *o)
{
    return o->kind == GR_OPERAND_PREDICATE || o->kind == GR_OPERAND_UNIFORM_PREDICATE;
}

static uint8_t predicate_slot(const struct gr_operand *o)
{
    if (o->number == GR_PREDICATE_TRUE)
        return GR_PREDICATE_ALWAYS;
    return (uint8_t)(o->number +
                     (o->kind == GR_OPERAND_UNIFORM_PREDICATE ? GR_PREDICATE_UNIFORM : 0));
}

uint8_t gr_predicate_out(struct gr_translation *t, int i)
{
    const struct gr_operand *o = operand(t, i);
    if (!is_predicate(o) || o->inverted)
        gr_refuse(t, "operand %d is no predicate to be written", i);
    uint8_t slot = predicate_slot(o);
    return slot == GR_PREDICATE_ALWAYS ? GR_PREDICATE_SINK : slot;
}

void gr_predicate_in(struct gr_translation *t, int i, struct gr_step *step, int n)
{
    const struct gr_operand *o = operand(t, i);
    if (!is_predicate(o))
        gr_refuse(t, "operand %d is no predicate", i);
    step->p_in[n] = predicate_slot(o);
    step->p_in_flip = (uint8_t)((step->p_in_flip & ~(1u << n)) | (unsigned)o->inverted << n);
}

int64_t gr_immediate(struct gr_translation *t, int i)
{
    if (!gr_operand_is(t, i, GR_OPERAND_IMMEDIATE))
        gr_refuse(t, "operand %d is no immediate", i);
    return operand(t, i)->value;
}

bool gr_operand_is(const struct gr_translation *t, int i, enum gr_operand_kind kind)
{
    return operand(t, i)->kind == kind;
}

bool gr_keep_form(struct gr_translation *t, struct gr_step *step, const void *form, size_t bytes)
{
    step->form = malloc(bytes);
    if (!step->form)
        return gr_refuse(t, "not enough memory");
    memcpy(step->form, form, bytes);
    return true;
}
