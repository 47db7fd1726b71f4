/* sass_effects.h: what an instruction of NVIDIA's machine code reads, writes and waits for, as far
 * as it matters for moving FFMAs past it: vector registers, barriers, and where control continues.
 * SPDX-License-Identifier: MIT
 *
 * An FFMA that is moved reads and writes only vector registers, and no predicates, uniform
 * registers or memory, so only vector registers are listed. If the width of an operand is not
 * known, more registers are listed than it may have; this can only prevent a move. */
#ifndef SASS_SASS_EFFECTS_H
#define SASS_SASS_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_SASS_SOURCES = 3, GR_SASS_BARRIERS = 6, GR_SASS_NO_BARRIER = 7 };

/* A set of the registers 0 to 254, as bits. */
struct gr_register_set {
    uint64_t word[4];
};

/* An instruction's 128 bits. */
struct gr_sass_word {
    uint64_t low, high;
};

enum gr_sass_flow {
    GR_SASS_NEXT,
    GR_SASS_JUMP, /* control continues at `target`, and also at the next instruction if it is
                     conditional */
    /* BSSY: threads reconverge at `target` later; the next instruction follows now. */
    GR_SASS_MEETS,
    GR_SASS_CALL,   /* calls `target`, a function in the same code; later, the next instruction
                       follows */
    GR_SASS_RETURN, /* returns to an instruction after a call */
    GR_SASS_EXIT,   /* ends, unless it is conditional */
    GR_SASS_UNKNOWN /* a jump to an address in a register, or a call of other code */
};

struct gr_sass_op {
    const char *mnemonic; /* "": the instruction was not decoded */
    bool known;           /* false: `reads` and `writes` contain all registers */
    struct gr_register_set reads, writes;
    bool late;    /* the time at which it reads and writes them varies, and barriers show it */
    bool movable; /* an FFMA with only registers that is always executed and sets no barrier */
    uint8_t d;    /* the registers if it is movable; 255 is RZ */
    uint8_t s[GR_SASS_SOURCES];
    uint8_t stall, write_barrier, read_barrier, wait_mask;
    uint8_t reuse;  /* bit i: the operand cache keeps source i for the next instruction */
    bool may_reuse; /* its stall count and yield bit allow reuse bits to have an effect */
    enum gr_sass_flow flow;
    bool conditional;
    int64_t target; /* for JUMP, MEETS and CALL: the index of an instruction; -1 if it is outside of
                       the code */
};

static inline bool gr_register_in(const struct gr_register_set *set, unsigned r)
{
    return r < 255 && (set->word[r / 64] >> r % 64 & 1) != 0;
}

static inline void gr_register_put(struct gr_register_set *set, unsigned r)
{
    if (r < 255)
        set->word[r / 64] |= UINT64_C(1) << r % 64;
}

/* Analyses the instructions of a kernel: `text` has `count` instructions of 16 bytes. */
void gr_sass_effects(int cc, const unsigned char *text, int count, struct gr_sass_op *ops);

struct gr_sass_word gr_sass_get(const unsigned char *text, int index);
void gr_sass_put(unsigned char *text, int index, struct gr_sass_word word);

/* The bits that belong to the place of an instruction, not to the instruction: stall count, yield
 * bit, barriers and wait mask; and the reuse bits. All of them are in the upper half. */
#define GR_SASS_REUSE_FIRST (122 - 64)
#define GR_SASS_REUSE_BITS (UINT64_C(7) << GR_SASS_REUSE_FIRST)
#define GR_SASS_PLACE_BITS (UINT64_C(0x1ffff) << (105 - 64))

#endif
