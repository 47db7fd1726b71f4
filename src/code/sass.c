/* sass.c: decodes the class and the width of an instruction from its 128 bits, and counts a
 * kernel's instruction mix. SPDX-License-Identifier: MIT */
#include "code/sass.h"

#include "core/error.h"
#include "code/cubin.h"

#include <stdlib.h>

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

/* The instructions of a kernel, decoded. */
struct body {
    struct gr_sass *list;
    int64_t count;
};

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--)
        word = word << 8 | bytes[i];
    return word;
}

static enum gradus_status decode(const struct gr_code *code, const struct gr_code_kernel *kernel,
                                 struct body *body, struct gradus_error *error)
{
    size_t count = kernel->text_bytes / GR_SASS_BYTES;
    body->list = malloc((count + 1) * sizeof *body->list);
    if (!body->list)
        return gr_fail_memory(error, "a kernel's instructions", count * sizeof *body->list);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = kernel->text + i * GR_SASS_BYTES;
        body->list[i] = gr_sass_decode(code->cc, word_at(at), word_at(at + 8));
    }
    while (count > 0 && body->list[count - 1].idle)
        count--;
    body->count = (int64_t)count;
    return GRADUS_OK;
}

static bool multiplies(const struct gr_sass *sass)
{
    return sass->op == GR_OP_FFMA || sass->op == GR_OP_DFMA || sass->op == GR_OP_HFMA2 ||
           sass->op == GR_OP_MMA;
}

static void add_to_mix(struct gr_mix *mix, const struct gr_sass *sass)
{
    mix->total++;
    mix->count[sass->op]++;
    mix->unknown += !sass->known;
    if (sass->width >= 0)
        mix->width[sass->op][sass->width]++;
}

/* Instructions first..last. */
struct span {
    int64_t first, last;
};

/* Finds the hottest loop by what `before` counts; before[i] is the number of counted instructions
 * before i. It is, among the innermost loops with any counted instruction, the one with the most. A
 * loop that contains another is skipped only if the inner one has counted instructions, so that a
 * loop that copies inside a loop that multiplies does not hide the latter. Loops are found in the
 * order of their last instruction, so an earlier one is inside this one exactly if it begins after
 * it. False: there is none. */
static bool hottest(const struct body *body, const int64_t *before, struct span *loop)
{
    int64_t most = 0, latest_head = -1;
    for (int64_t i = 0; i < body->count; i++) {
        int64_t head = i + 1 + body->list[i].jump / GR_SASS_BYTES;
        if (!body->list[i].jumps || head > i || head < 0)
            continue;
        int64_t counted = before[i + 1] - before[head];
        if (counted == 0)
            continue;
        if (latest_head <= head && counted >= most) {
            *loop = (struct span){head, i};
            most = counted;
        }
        if (head > latest_head)
            latest_head = head;
    }
    return most > 0;
}

static enum gradus_status find_loop(const struct body *body, struct span *loop, bool *found,
                                    struct gradus_error *error)
{
    size_t bytes = ((size_t)body->count + 1) * sizeof(int64_t);
    int64_t *before = malloc(bytes); /* multiply-adds before an instruction */
    if (!before)
        return gr_fail_memory(error, "a kernel's loops", bytes);
    before[0] = 0;
    for (int64_t i = 0; i < body->count; i++)
        before[i + 1] = before[i] + multiplies(&body->list[i]);
    *found = hottest(body, before, loop);
    for (int64_t i = 0; i <= body->count && !*found; i++)
        before[i] = i;
    if (!*found)
        *found = hottest(body, before, loop);
    free(before);
    return GRADUS_OK;
}

enum gradus_status gr_code_mix(const struct gr_code *code, const struct gr_code_kernel *kernel,
                               struct gr_mix *whole, struct gr_mix *loop,
                               struct gradus_error *error)
{
    *whole = *loop = (struct gr_mix){0};
    if (code->cc < GR_SASS_FIRST_CC)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: instructions of sm_%d are not read, wanted sm_%d or later",
                       kernel->symbol, code->cc, GR_SASS_FIRST_CC);
    struct body body = {0};
    struct span span = {0};
    bool found = false;
    enum gradus_status status = decode(code, kernel, &body, error);
    if (status == GRADUS_OK)
        status = find_loop(&body, &span, &found, error);
    if (status == GRADUS_OK) {
        for (int64_t i = 0; i < body.count; i++)
            add_to_mix(whole, &body.list[i]);
        for (int64_t i = span.first; found && i <= span.last; i++)
            add_to_mix(loop, &body.list[i]);
    }
    free(body.list);
    return status;
}

const char *gr_op_name(int op)
{
    static const char *const names[GR_OP_CLASS_COUNT] = {
        "FFMA", "DFMA", "HFMA2",  "MMA",  "FLOAT", "INTEGER", "LDG",     "STG",    "LDS",  "STS",
        "LDL",  "STL",  "LDGSTS", "BULK", "LDC",   "ATOMIC",  "BARRIER", "BRANCH", "MOVE", "OTHER"};
    return op >= 0 && op < GR_OP_CLASS_COUNT ? names[op] : "?";
}
