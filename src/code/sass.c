/* sass.c: decodes the class and the width of an instruction from its 128 bits.
 * SPDX-License-Identifier: MIT */
#include "code/sass.h"

#include "code/instruction.h"

enum {
    OPCODE_NOP = 0x118,
    OPCODE_BRA = 0x147,
    REGISTER_ZERO = 255,
    PREDICATE_ALWAYS = 7, /* bits 12..15: no guard */
    PREDICATE_NEVER =
        15, /* @!PT: the compiler puts loads that are never executed before some LDGSTS */
    SHORT_JUMP_CC = 90, /* from here on the low 8 bits of a jump are in bits 16..23 */
    WIDE_COPY_CC = 100
};

static uint64_t bits(uint64_t word, int first, int count)
{
    return word >> first & ((UINT64_C(1) << count) - 1);
}

static int width_of(const struct gr_sass_row *row, int cc, uint64_t high)
{
    static const int8_t sizes[] = {0, 0, 1, 1, 2, 3, 4, 4}; /* u8 s8 u16 s16 32 64 128 128 */
    static const int8_t powers[] = {2, 3, 4, 4};
    switch (row->width) {
    case GR_SASS_WIDTH:
        return sizes[bits(high, 9, 3)];
    case GR_SASS_COPY_WIDTH:
        return cc >= WIDE_COPY_CC ? powers[bits(high, 10, 2)] : sizes[bits(high, 9, 3)];
    case GR_SASS_MATRICES:
        return powers[bits(high, 8, 2)];
    case GR_SASS_WIDEST:
        return GR_OP_WIDTHS - 1;
    default:
        return -1;
    }
}

/* Bits 34..81 count 4 bytes from the next instruction; from sm_90 on, 1 KiB, and bits 16..23 the 4
 * bytes. */
static int64_t jump_of(int cc, uint64_t low, uint64_t high)
{
    uint64_t value = low >> 34 | bits(high, 0, 18) << 30;
    int64_t words = (int64_t)(value << 16) >> 16;
    if (cc >= SHORT_JUMP_CC)
        words = words * 256 + (int64_t)bits(low, 16, 8);
    return words * 4;
}

struct gr_sass gr_sass_decode(int cc, uint64_t low, uint64_t high)
{
    int opcode = (int)bits(low, 0, 9);
    const struct gr_sass_row *row = gr_sass_find(cc, opcode);
    struct gr_sass sass = {.op = GR_OP_OTHER, .width = -1};
    if (!row)
        return sass;
    sass.known = true;
    sass.op = row->op;
    sass.width = width_of(row, cc, high);
    if (sass.op == GR_OP_HFMA2 && bits(low, 24, 8) == REGISTER_ZERO)
        sass.op = GR_OP_MOVE; /* 0 * 0 + a constant: how the compiler loads one */
    if (bits(low, 12, 4) == PREDICATE_NEVER) {
        sass.op = GR_OP_OTHER;
        sass.width = -1;
    }
    if (opcode == OPCODE_BRA) {
        sass.jumps = true;
        sass.jump = jump_of(cc, low, high);
    }
    sass.idle = opcode == OPCODE_NOP ||
                (sass.jumps && sass.jump == -GR_SASS_BYTES && bits(low, 12, 4) == PREDICATE_ALWAYS);
    return sass;
}
