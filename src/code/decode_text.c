/* decode_text.c: writes a decoded instruction of NVIDIA's machine code as nvdisasm does.
 * SPDX-License-Identifier: MIT */
#include "code/decode.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *text;
    size_t size, length;
    const char *zero; /* how a place without a register and an offset is written */
};

__attribute__((format(printf, 2, 3))) static void put(struct sink *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    bool room = s->length < s->size;
    int count =
        vsnprintf(room ? s->text + s->length : NULL, room ? s->size - s->length : 0, format, list);
    va_end(list);
    if (count > 0)
        s->length += (size_t)count;
}

static void put_hex(struct sink *s, int64_t value)
{
    put(s, value < 0 ? "-0x%" PRIx64 : "0x%" PRIx64,
        value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value);
}

static void put_register(struct sink *s, const char *letters, int number)
{
    if (number == GR_REGISTER_ZERO)
        put(s, "%sZ", letters);
    else
        put(s, "%s%d", letters, number);
}

static void put_predicate(struct sink *s, const struct gr_operand *op)
{
    const char *letters = op->kind == GR_OPERAND_UNIFORM_PREDICATE ? "UP" : "P";
    if (op->number == GR_PREDICATE_TRUE)
        put(s, "%sT", letters);
    else
        put(s, "%s%d", letters, op->number);
}

/* From 1e9 on with an exponent and twenty digits behind the point, others as %g does. */
static void put_float(struct sink *s, const struct gr_operand *op)
{
    const char *name = op->name ? op->name : "F32";
    int exponent_bits = 8, fraction_bits = 23;
    if (strcmp(name, "F64") == 0)
        exponent_bits = 11, fraction_bits = 52;
    else if (strcmp(name, "F16") == 0)
        exponent_bits = 5, fraction_bits = 10;
    else if (strcmp(name, "BF16") == 0)
        fraction_bits = 7;
    uint64_t raw = (uint64_t)op->value, one = 1;
    bool negative = raw >> (exponent_bits + fraction_bits) & 1;
    int highest = (1 << exponent_bits) - 1;
    int exponent = (int)(raw >> fraction_bits & (uint64_t)highest);
    uint64_t fraction = raw & ((one << fraction_bits) - 1);
    if (exponent == highest) {
        const char *kind = fraction == 0                     ? "INF"
                           : fraction >> (fraction_bits - 1) ? "QNAN"
                                                             : "SNAN";
        put(s, "%c%s", negative ? '-' : '+', kind);
        return;
    }
    if (exponent > 0)
        fraction |= one << fraction_bits;
    double value =
        ldexp((double)fraction, (exponent > 0 ? exponent : 1) - highest / 2 - fraction_bits);
    if (value == 0)
        put(s, negative ? "-0.0" : "0");
    else
        put(s, value >= 1e9 ? "%s%.20e" : "%s%.20g", negative ? "-" : "", value);
}

/* [R2.64+UR4+0x10] */
static void put_place(struct sink *s, const struct gr_operand *op)
{
    const char *plus = "";
    put(s, "[");
    if (op->has_base) {
        put_register(s, op->uniform_base ? "UR" : "R", op->base);
        put(s, "%s%s", op->base_suffix ? "." : "", op->base_suffix ? op->base_suffix : "");
        plus = "+";
    }
    if (op->kind == GR_OPERAND_ADDRESS && op->has_uniform) {
        put(s, "%s", plus);
        put_register(s, "UR", op->uniform);
        plus = "+";
    }
    if (op->value != 0) {
        put(s, "%s", plus);
        put_hex(s, op->value);
    } else if (!*plus) {
        put(s, "%s", s->zero);
    }
    put(s, "]");
}

static void put_memory(struct sink *s, const struct gr_decoded *d, const struct gr_operand *op)
{
    bool constant = op->kind == GR_OPERAND_CONSTANT;
    s->zero = constant ? "0x0" : "RZ";
    if (op->name)
        s->zero = strcmp(op->name, "tmem") == 0 ? "URZ" : "0x0";
    else if (strcmp(d->mnemonic, "ULDC") == 0)
        s->zero = "0x0";
    else if (strcmp(d->mnemonic, "LDC") == 0 && !op->extended)
        s->zero = "RZ";
    else if (strcmp(d->mnemonic, "LDCU") == 0)
        s->zero = "URZ";
    if (constant) {
        if (op->has_uniform) {
            put(s, op->extended ? "cx[" : "c[");
            put_register(s, "UR", op->uniform);
            put(s, "]");
        } else {
            put(s, "c[0x%x]", op->bank);
        }
        put_place(s, op);
        return;
    }
    if (op->has_descriptor) {
        put(s, op->extended ? "gdesc[" : "desc[");
        put_register(s, "UR", op->descriptor);
        put(s, "]");
    }
    put(s, "%s", op->name ? op->name : "");
    if (!op->has_descriptor || op->has_base || op->has_uniform || op->value != 0)
        put_place(s, op);
}

static void put_list(struct sink *s, uint64_t set)
{
    const char *comma = "";
    put(s, "{");
    for (int i = 63; i >= 0; i--) {
        if (set >> i & 1) {
            put(s, "%s%d", comma, i);
            comma = ",";
        }
    }
    put(s, "}");
}

static void put_core(struct sink *s, const struct gr_decoded *d, const struct gr_operand *op)
{
    switch (op->kind) {
    case GR_OPERAND_REGISTER:
        put_register(s, "R", op->number);
        break;
    case GR_OPERAND_UNIFORM:
        put_register(s, "UR", op->number);
        break;
    case GR_OPERAND_PREDICATE:
    case GR_OPERAND_UNIFORM_PREDICATE:
        put_predicate(s, op);
        break;
    case GR_OPERAND_IMMEDIATE:
    case GR_OPERAND_TARGET:
        if (op->is_float)
            put_float(s, op);
        else if ((strcmp(d->mnemonic, "MOV") == 0 || strcmp(d->mnemonic, "UMOV") == 0) &&
                 d->modifier[0])
            put(s, "0x%" PRIx64, (uint64_t)op->value); /* MOV.64 and UMOV.64 */
        else
            put_hex(s, op->value);
        break;
    case GR_OPERAND_CONSTANT:
    case GR_OPERAND_ADDRESS:
        put_memory(s, d, op);
        break;
    case GR_OPERAND_LIST:
        put_list(s, (uint64_t)op->value);
        break;
    default:
        put(s, "%s", op->name ? op->name : "");
    }
}

static void put_operand(struct sink *s, const struct gr_decoded *d, const struct gr_operand *op)
{
    bool predicate = op->kind == GR_OPERAND_PREDICATE || op->kind == GR_OPERAND_UNIFORM_PREDICATE;
    if (op->inverted)
        put(s, predicate ? "!" : "~");
    if (op->negated)
        put(s, "-");
    if (op->absolute)
        put(s, "|");
    put_core(s, d, op);
    /* |R2|.H0_H0, but |UR2.H0_H0|, |c[0x0][0x160].H0_H0|, and |R2.H1| of conversions and MUFU. */
    bool around = op->kind == GR_OPERAND_UNIFORM || op->kind == GR_OPERAND_CONSTANT ||
                  strcmp(d->mnemonic, "MUFU") == 0 || strcmp(d->mnemonic, "FRND") == 0 ||
                  strcmp(d->mnemonic, "F2F") == 0 || strcmp(d->mnemonic, "F2I") == 0;
    if (op->absolute && !around)
        put(s, "|");
    if (op->reused)
        put(s, ".reuse");
    for (int i = 0; i < GR_DECODED_SUFFIXES && op->suffix[i]; i++)
        put(s, ".%s", op->suffix[i]);
    if (op->absolute && around)
        put(s, "|");
}

/* A target, behind the register that is added to it: it has no comma before it, and where it is
 * zero only RET writes it. */
static bool is_added(const struct gr_decoded *d, int i)
{
    static const char *const jumps[] = {"BRX", "BRXU", "JMX", "JMXU", "CALL", "RET"};
    enum gr_operand_kind kind = d->operand[i].kind;
    enum gr_operand_kind before = i > 0 ? d->operand[i - 1].kind : GR_OPERAND_NONE;
    if ((kind != GR_OPERAND_IMMEDIATE && kind != GR_OPERAND_TARGET) ||
        (before != GR_OPERAND_REGISTER && before != GR_OPERAND_UNIFORM))
        return false;
    for (size_t k = 0; k < sizeof jumps / sizeof *jumps; k++)
        if (strcmp(d->mnemonic, jumps[k]) == 0)
            return true;
    return false;
}

int gr_decoded_text(const struct gr_decoded *decoded, char *text, size_t size)
{
    struct sink s = {text, size, 0, "RZ"};
    if (size > 0)
        *text = 0;
    const struct gr_operand *guard = &decoded->guard;
    if (guard->number != GR_PREDICATE_TRUE || guard->inverted) {
        put(&s, guard->inverted ? "@!" : "@");
        put_predicate(&s, guard);
        put(&s, " ");
    }
    put(&s, "%s", decoded->mnemonic);
    for (int i = 0; i < GR_DECODED_MODIFIERS && decoded->modifier[i]; i++)
        put(&s, ".%s", decoded->modifier[i]);
    for (int i = 0; i < decoded->operand_count; i++) {
        const struct gr_operand *op = &decoded->operand[i];
        bool added = is_added(decoded, i);
        if (added && op->kind == GR_OPERAND_IMMEDIATE && op->value == 0 &&
            strcmp(decoded->mnemonic, "RET") != 0)
            continue;
        put(&s, i == 0 || added ? " " : ", ");
        put_operand(&s, decoded, op);
    }
    return (int)s.length;
}
