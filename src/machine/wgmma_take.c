/* wgmma_take.c: the modifiers and operands of HGMMA, QGMMA, IGMMA and BGMMA.
 * SPDX-License-Identifier: MIT */
#include "machine/machine_wgmma.h"

#include <stdlib.h>
#include <string.h>

/* Returns modifier i if it exists and has not been taken. */
static const char *modifier_at(const struct gr_translation *t, int i)
{
    return i < GR_DECODED_MODIFIERS && !(t->taken >> i & 1) ? t->decoded->modifier[i] : NULL;
}

/* 64xNxK */
static bool take_shape(struct gr_translation *t, struct gr_wgmma *g)
{
    const char *shape = modifier_at(t, 0);
    if (shape == NULL || strncmp(shape, "64x", 3) != 0) {
        return gr_refuse(t, "its shape has no meaning here");
    }
    char *end;
    long n = strtol(shape + 3, &end, 10), k = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || n < 8 || n > 256 || n % 8 != 0 || k < 8 || k > 256) {
        return gr_refuse(t, "its shape has no meaning here");
    }
    t->taken |= 1;
    g->n = (int)n;
    g->k = (int)k;
    return true;
}

/* Takes the next modifier of `names`, in the order in which they are written; -1: there is none. */
static int take_next(struct gr_translation *t, const char *const *names)
{
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++) {
        for (int n = 0; names[n] && modifier_at(t, i); n++) {
            if (strcmp(t->decoded->modifier[i], names[n]) == 0) {
                t->taken |= (uint16_t)(1u << i);
                return n;
            }
        }
    }
    return -1;
}

static bool take_float(struct gr_translation *t, struct gr_wgmma *g, bool fp8)
{
    static const char *const wide[] = {"BF16", "TF32", NULL}, *const narrow[] = {"E4M3", "E5M2",
                                                                                 NULL};
    static const enum gr_tensor_type wide_types[] = {GR_TENSOR_BF16, GR_TENSOR_TF32},
                                     narrow_types[] = {GR_TENSOR_E4M3, GR_TENSOR_E5M2};
    g->kind = GR_WGMMA_FLOAT;
    g->half = gr_take(t, "F16");
    if (!g->half && !gr_take(t, "F32")) {
        return gr_refuse(t, "no type of accumulator has a meaning here");
    }
    if (fp8) {
        int a = take_next(t, narrow), b = take_next(t, narrow);
        if (a < 0 || b < 0) {
            return gr_refuse(t, "its types have no meaning here");
        }
        g->type_a = narrow_types[a];
        g->type_b = narrow_types[b];
    } else {
        int type = take_next(t, wide);
        g->type_a = g->type_b = type < 0 ? GR_TENSOR_F16 : wide_types[type];
    }
    int k = fp8 ? 32 : g->type_a == GR_TENSOR_TF32 ? 8 : 16;
    bool fits = g->k == k && !(g->half && !fp8 && g->type_a != GR_TENSOR_F16);
    g->rule = gr_tensor_rule_of(t->cc, GR_TENSOR_WARP_GROUP, g->type_a, g->half);
    if (!fits || g->rule == NULL) {
        return gr_refuse(t, "its shape or how sm_%d adds is not known", t->cc);
    }
    return true;
}

static bool take_integer(struct gr_translation *t, struct gr_wgmma *g)
{
    static const char *const types[] = {"U8", "S8", NULL};
    g->kind = GR_WGMMA_INTEGER;
    int a = take_next(t, types), b = take_next(t, types);
    if (a < 0 || b < 0 || g->k != 32) {
        return gr_refuse(t, "its types or its shape have no meaning here");
    }
    g->signed_a = a == 1;
    g->signed_b = b == 1;
    g->saturate = gr_take(t, "SAT");
    return true;
}

/* Takes operand i, which is gdesc[UR] with its suffixes. */
static bool take_descriptors(struct gr_translation *t, struct gr_wgmma *g, int i)
{
    const struct gr_operand *o = &t->decoded->operand[i];
    if (!gr_operand_is(t, i, GR_OPERAND_ADDRESS) || !o->has_descriptor || !o->extended ||
        o->value != 0 || o->has_base || o->has_uniform) {
        return gr_refuse(t, "operand %d is no gdesc[UR]", i);
    }
    if (o->descriptor > 60) {
        return gr_refuse(t, "four uniform registers do not begin at UR%d", o->descriptor);
    }
    g->descriptors = o->descriptor;
    g->transposed_a = gr_take_suffix(t, i, "tnspA");
    g->transposed_b = gr_take_suffix(t, i, "tnspB");
    g->negated_a = gr_take_suffix(t, i, "negA");
    g->negated_b = gr_take_suffix(t, i, "negB");
    bool may = g->kind == GR_WGMMA_FLOAT;
    bool two_bytes = may && (g->type_a == GR_TENSOR_F16 || g->type_a == GR_TENSOR_BF16);
    if ((g->transposed_a && (g->a_in_registers || !two_bytes)) || (g->transposed_b && !two_bytes) ||
        ((g->negated_a || g->negated_b) && !may)) {
        return gr_refuse(t, "a suffix of operand %d has no meaning here", i);
    }
    return true;
}

/* D, [A,] gdesc[UR], C [, UP] [, gsb] */
static bool take_operands(struct gr_translation *t, struct gr_wgmma *g)
{
    int i = 1, count = t->decoded->operand_count;
    if (!gr_operand_is(t, 0, GR_OPERAND_REGISTER)) {
        return gr_refuse(t, "operand 0 is no register");
    }
    g->d = gr_destination(t, 0);
    if (gr_operand_is(t, i, GR_OPERAND_REGISTER)) {
        g->a_in_registers = true;
        g->a = (uint16_t)gr_source_make(t, i++, 1).slot;
    }
    if (!take_descriptors(t, g, i++)) {
        return false;
    }
    if (!gr_operand_is(t, i, GR_OPERAND_REGISTER)) {
        return gr_refuse(t, "operand %d is no register", i);
    }
    struct gr_source c = gr_source_make(t, i++, 1);
    if (c.negated || c.absolute || c.inverted) {
        return gr_refuse(t, "the accumulator has a sign");
    }
    g->c = (uint16_t)c.slot;
    if (i < count && gr_operand_is(t, i, GR_OPERAND_UNIFORM_PREDICATE)) {
        struct gr_step step = {0};
        gr_predicate_in(t, i++, &step, 0);
        g->has_scale = true;
        g->scale = step.p_in[0];
        g->scale_flip = step.p_in_flip & 1;
    }
    g->scoreboard = -1;
    if (i < count && gr_operand_is(t, i, GR_OPERAND_SCOREBOARD)) {
        g->scoreboard = t->decoded->operand[i++].number;
    }
    return i == count ? !t->refused : gr_refuse(t, "operand %d has no meaning here", i);
}

bool gr_wgmma_take(struct gr_translation *t, struct gr_wgmma *g)
{
    *g = (struct gr_wgmma){0};
    const char *name = t->decoded->mnemonic;
    if (!take_shape(t, g)) {
        return false;
    }
    bool taken;
    if (strcmp(name, "HGMMA") == 0 || strcmp(name, "QGMMA") == 0) {
        taken = take_float(t, g, *name == 'Q');
    } else if (strcmp(name, "IGMMA") == 0) {
        taken = take_integer(t, g);
    } else {
        g->kind = GR_WGMMA_BITS;
        taken =
            strcmp(name, "BGMMA") == 0 && gr_take(t, "AND") && gr_take(t, "POPC") && g->k == 256;
        if (!taken) {
            gr_refuse(t, "its operation has no meaning here");
        }
    }
    return taken && take_operands(t, g);
}
