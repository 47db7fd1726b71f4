/* sass_effects.h: what an instruction of NVIDIA's machine code reads, writes and waits for, as far
 * as moving FFMAs past it needs it: vector registers, barriers, and where control goes on.
 * SPDX-License-Identifier: MIT
 *
 * An FFMA that is moved reads and writes vector registers only: no predicate, uniform register or
 * memory. So nothing else is listed. Where an operand's width is not certain, more registers than
 * it has are listed, which can only forbid a move. */
#ifndef SASS_SASS_EFFECTS_H
#define SASS_SASS_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_SASS_SOURCES = 3, GR_SASS_BARRIERS = 6, GR_SASS_NO_BARRIER = 7 };

/* Registers 0 to 254, as bits. */
struct gr_register_set {
    uint64_t word[4];
};

/* An instruction's 128 bits. */
struct gr_sass_word {
    uint64_t low, high;
};

enum gr_sass_flow {
    GR_SASS_NEXT,
    GR_SASS_JUMP,   /* to `target`, and to the next one as well if it is conditional */
    GR_SASS_MEETS,  /* BSSY: threads meet at `target` later; the next one is executed now */
    GR_SASS_CALL,   /* to `target`, a function in the same code; later to the next one */
    GR_SASS_RETURN, /* to an instruction behind a call */
    GR_SASS_EXIT,   /* nothing follows, except if it is conditional */
    GR_SASS_UNKNOWN /* a jump to an address in a register, a call of other code */
};

struct gr_sass_op {
    const char *mnemonic; /* "" : not decoded */
    bool known;           /* false: `reads` and `writes` have all registers */
    struct gr_register_set reads, writes;
    bool late;    /* when it reads and writes them is not certain: barriers say so */
    bool movable; /* FFMA of registers, always executed, that sets no barrier */
    uint8_t d;    /* movable: its registers; 255 is RZ */
    uint8_t s[GR_SASS_SOURCES];
    uint8_t stall, write_barrier, read_barrier, wait_mask;
    uint8_t reuse;  /* bit i: the operand cache keeps source i for the next instruction */
    bool may_reuse; /* its stall count and yield bit let reuse bits have an effect */
    enum gr_sass_flow flow;
    bool conditional;
    int64_t target; /* of JUMP, MEETS, CALL: index of an instruction; outside the code: -1 */
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

/* Reads the instructions of a kernel: `text` has `count` of 16 bytes. */
void gr_sass_effects(int cc, const unsigned char *text, int count, struct gr_sass_op *ops);

struct gr_sass_word gr_sass_get(const unsigned char *text, int index);
void gr_sass_put(unsigned char *text, int index, struct gr_sass_word word);

/* The bits that belong to an instruction's place in the code and not to the instruction: stall
 * count, yield bit, barriers, wait mask; and the reuse bits. All are in the word's upper half. */
#define GR_SASS_REUSE_FIRST (122 - 64)
#define GR_SASS_REUSE_BITS (UINT64_C(7) << GR_SASS_REUSE_FIRST)
#define GR_SASS_PLACE_BITS (UINT64_C(0x1ffff) << (105 - 64))

#endif
