/* sass_effects.c: converts what the decoder knows about an instruction to sets of registers.
 * SPDX-License-Identifier: MIT */
#include "sass/sass_effects.h"

#include "code/decode.h"

#include <string.h>

enum { BYTES = 16, FFMA_OF_REGISTERS = 0x223, REUSE_FIRST = 17, REUSE_LAST = 27, WIDEST = 4 };

/* How the operands of an instruction are to be read, and whether its latency is fixed. */
enum shape {
    /* The first operand, a register, is written; each operand has 1 word, for IMAD.WIDE 2. */
    RESULT,
    RESULT_PAIR,    /* the same, for instructions whose operands may have 2 words */
    NO_RESULT,      /* registers are only read */
    LATE_RESULT,    /* like RESULT_PAIR, but the latency is variable or not known */
    LATE_NO_RESULT, /* registers are only read, 2 words each, at a time that varies */
    LOAD,           /* the width is given by a modifier */
    STORE
};

struct shape_of {
    const char *mnemonic;
    enum shape shape;
};

/* The instructions of Hopper that occur around loops of FFMAs. All others are treated as
 * unknown. */
static const struct shape_of shapes[] = {
    {"BAR", LATE_NO_RESULT},
    {"BMSK", RESULT},
    {"BRA", NO_RESULT},
    {"BREV", LATE_RESULT},
    {"BSSY", NO_RESULT},
    {"BSYNC", NO_RESULT},
    {"CALL", LATE_NO_RESULT},
    {"CS2R", RESULT_PAIR},
    {"DADD", LATE_RESULT},
    {"DEPBAR", NO_RESULT},
    {"DFMA", LATE_RESULT},
    {"DMUL", LATE_RESULT},
    {"DSETP", LATE_NO_RESULT},
    {"ERRBAR", NO_RESULT},
    {"EXIT", NO_RESULT},
    {"F2F", LATE_RESULT},
    {"F2I", LATE_RESULT},
    {"FADD", RESULT},
    {"FFMA", RESULT},
    {"FLO", LATE_RESULT},
    {"FMNMX", RESULT},
    {"FMUL", RESULT},
    {"FSEL", RESULT},
    {"FSETP", NO_RESULT},
    {"HFMA2", RESULT},
    {"I2F", LATE_RESULT},
    {"I2FP", RESULT},
    {"IABS", RESULT},
    {"IADD3", RESULT},
    {"IMAD", RESULT},
    {"IMNMX", RESULT},
    {"ISETP", NO_RESULT},
    {"LD", LOAD},
    {"LDC", LOAD},
    {"LDG", LOAD},
    {"LDGDEPBAR", NO_RESULT},
    {"LDGSTS", LATE_NO_RESULT},
    {"LDL", LOAD},
    {"LDS", LOAD},
    {"LEA", RESULT},
    {"LOP3", RESULT},
    {"MEMBAR", NO_RESULT},
    {"MOV", RESULT},
    {"MUFU", LATE_RESULT},
    {"NOP", NO_RESULT},
    {"P2R", RESULT},
    {"PLOP3", NO_RESULT},
    {"POPC", LATE_RESULT},
    {"PRMT", RESULT},
    {"R2UR", LATE_NO_RESULT},
    {"RET", LATE_NO_RESULT},
    {"S2R", LATE_RESULT},
    {"S2UR", NO_RESULT},
    {"SEL", RESULT},
    {"SGXT", RESULT},
    {"SHF", RESULT},
    {"ST", STORE},
    {"STG", STORE},
    {"STL", STORE},
    {"STS", STORE},
    {"UIADD3", NO_RESULT},
    {"UIMAD", NO_RESULT},
    {"UISETP", NO_RESULT},
    {"ULDC", NO_RESULT},
    {"ULEA", NO_RESULT},
    {"ULOP3", NO_RESULT},
    {"UMOV", NO_RESULT},
    {"UPLOP3", NO_RESULT},
    {"UPRMT", NO_RESULT},
    {"USEL", NO_RESULT},
    {"USHF", NO_RESULT},
    {"VIADD", RESULT},
    {"VIADDMNMX", RESULT},
    {"VIMNMX", RESULT},
    {"WARPSYNC", NO_RESULT},
};

static const struct shape_of *find_shape(const char *mnemonic)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].mnemonic, mnemonic) == 0)
            return &shapes[i];
    return NULL;
}

static bool has_modifier(const struct gr_decoded *d, const char *word)
{
    for (int i = 0; i < GR_DECODED_MODIFIERS && d->modifier[i]; i++)
        if (strcmp(d->modifier[i], word) == 0)
            return true;
    return false;
}

static void put(struct gr_register_set *set, unsigned first, int words)
{
    for (int i = 0; i < words; i++)
        if (first != GR_REGISTER_ZERO)
            gr_register_put(set, first + (unsigned)i);
}

static int width_of(const struct gr_decoded *d, enum shape shape)
{
    if (has_modifier(d, "128"))
        return WIDEST;
    const bool product = strcmp(d->mnemonic, "IMAD") == 0;
    const bool pair = shape == RESULT_PAIR || shape == LATE_RESULT || shape == LATE_NO_RESULT ||
                      has_modifier(d, "64") ||
                      (product && (has_modifier(d, "WIDE") || has_modifier(d, "HI")));
    return pair ? 2 : 1;
}

/* Returns the index of the operand that is written; -1: none; -2: the operands do not match the
 * shape. */
static int result_of(const struct gr_decoded *d, enum shape shape)
{
    if (shape == NO_RESULT || shape == LATE_NO_RESULT || shape == STORE)
        return -1;
    /* In some instructions, a predicate precedes the result, as in LOP3 P0, R1, … */
    const int first = d->operand_count > 0 && d->operand[0].kind == GR_OPERAND_PREDICATE;
    if (first >= d->operand_count || d->operand[first].kind != GR_OPERAND_REGISTER)
        return -2;
    return first;
}

static void add_registers(const struct gr_decoded *d, enum shape shape, struct gr_sass_op *op)
{
    const int width = width_of(d, shape), result = result_of(d, shape);
    op->known = result > -2;
    op->late = shape != RESULT && shape != RESULT_PAIR && shape != NO_RESULT;
    for (int i = 0; i < d->operand_count; i++) {
        const struct gr_operand *o = &d->operand[i];
        if (o->kind == GR_OPERAND_REGISTER)
            put(i == result ? &op->writes : &op->reads, o->number, width);
        else if ((o->kind == GR_OPERAND_ADDRESS || o->kind == GR_OPERAND_CONSTANT) && o->has_base &&
                 !o->uniform_base)
            put(&op->reads, o->base, 2);
    }
}

static enum gr_sass_flow flow_of(const struct gr_decoded *d)
{
    static const struct {
        const char *mnemonic;
        enum gr_sass_flow flow;
    } all[] = {{"BRA", GR_SASS_JUMP},     {"BSSY", GR_SASS_MEETS},    {"CALL", GR_SASS_CALL},
               {"RET", GR_SASS_RETURN},   {"EXIT", GR_SASS_EXIT},     {"BRX", GR_SASS_UNKNOWN},
               {"BRXU", GR_SASS_UNKNOWN}, {"JMP", GR_SASS_UNKNOWN},   {"JMX", GR_SASS_UNKNOWN},
               {"JMXU", GR_SASS_UNKNOWN}, {"BREAK", GR_SASS_UNKNOWN}, {"KILL", GR_SASS_UNKNOWN}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(d->mnemonic, all[i].mnemonic) == 0)
            return all[i].flow;
    return GR_SASS_NEXT;
}

static void read_flow(const struct gr_decoded *d, int count, struct gr_sass_op *op)
{
    op->conditional = d->guard.number != GR_PREDICATE_TRUE || d->guard.inverted;
    op->target = -1;
    op->flow = flow_of(d);
    const bool goes =
        op->flow == GR_SASS_JUMP || op->flow == GR_SASS_MEETS || op->flow == GR_SASS_CALL;
    for (int i = 0; i < d->operand_count; i++)
        if (d->operand[i].kind == GR_OPERAND_TARGET) {
            const int64_t at = d->operand[i].value;
            op->target = at >= 0 && at % BYTES == 0 && at / BYTES < count ? at / BYTES : -1;
            /* There is a predicate other than the guard, or .DIV …. */
            op->conditional |= d->operand_count > 1;
            if (op->flow == GR_SASS_NEXT)
                op->flow = GR_SASS_UNKNOWN;
        }
    if (goes && op->target < 0)
        op->flow = GR_SASS_UNKNOWN;
}

static bool is_movable(const struct gr_decoded *d, uint64_t low)
{
    return (low & 0xfff) == FFMA_OF_REGISTERS && d->guard.number == GR_PREDICATE_TRUE &&
           !d->guard.inverted && d->operand_count == 4 &&
           d->operand[0].number != GR_REGISTER_ZERO && d->write_barrier == GR_SASS_NO_BARRIER &&
           d->read_barrier == GR_SASS_NO_BARRIER;
}

static void read_one(int cc, struct gr_sass_word word, int index, int count, struct gr_sass_op *op)
{
    struct gr_decoded d;
    const unsigned control = (unsigned)(word.high >> (105 - 64));
    *op = (struct gr_sass_op){.mnemonic = "",
                              .stall = control & 15,
                              .write_barrier = control >> 5 & 7,
                              .read_barrier = control >> 8 & 7,
                              .wait_mask = control >> 11 & 63,
                              .reuse = (uint8_t)(word.high >> GR_SASS_REUSE_FIRST & 7),
                              .may_reuse =
                                  (control & 31) >= REUSE_FIRST && (control & 31) <= REUSE_LAST};
    if (!gr_decode(cc, word.low, word.high, (uint64_t)index * BYTES, &d)) {
        op->flow = GR_SASS_UNKNOWN;
    } else {
        const struct shape_of *found = find_shape(d.mnemonic);
        op->mnemonic = d.mnemonic;
        read_flow(&d, count, op);
        if (found)
            add_registers(&d, found->shape, op);
        op->movable = op->known && is_movable(&d, word.low);
    }
    if (op->movable) {
        op->d = d.operand[0].number;
        for (int i = 0; i < GR_SASS_SOURCES; i++)
            op->s[i] = d.operand[i + 1].number;
    }
    if (!op->known) {
        op->late = true;
        memset(&op->reads, 0xff, sizeof op->reads);
        memset(&op->writes, 0xff, sizeof op->writes);
    }
}

struct gr_sass_word gr_sass_get(const unsigned char *text, int index)
{
    struct gr_sass_word word;
    memcpy(&word, text + (size_t)index * BYTES, BYTES);
    return word;
}

void gr_sass_put(unsigned char *text, int index, struct gr_sass_word word)
{
    memcpy(text + (size_t)index * BYTES, &word, BYTES);
}

void gr_sass_effects(int cc, const unsigned char *text, int count, struct gr_sass_op *ops)
{
    for (int i = 0; i < count; i++)
        read_one(cc, gr_sass_get(text, i), i, count, &ops[i]);
}
