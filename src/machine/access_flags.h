/* access_flags.h: the flags in the steps of instructions that access memory.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_ACCESS_FLAGS_H
#define MACHINE_ACCESS_FLAGS_H

/* Bits of step->flags of instructions that access memory. */
enum {
    GR_ACCESS_PAIR = 1 << 0, /* the base is a pair of registers */
    GR_ACCESS_WIDE = 1 << 1, /* the uniform register is a pair, and so is the sum */
    GR_ACCESS_SCALE = 2,     /* bits 2 to 4: the number of bits by which the base is shifted left */
    GR_ACCESS_SIGNED = 1 << 5,  /* a narrow value is sign-extended */
    GR_ACCESS_STRONG = 1 << 6,  /* volatile or atomic */
    GR_ACCESS_PAST_L1 = 1 << 7, /* a copy that bypasses L1 */
    GR_ACCESS_FREE = 1 << 8     /* the bits from here on are free for the instruction's own use */
};

#endif
