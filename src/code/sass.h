/* sass.h: decodes one machine instruction of an NVIDIA GPU: its class and its width.
 * SPDX-License-Identifier: MIT */
#ifndef CODE_SASS_H
#define CODE_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_SASS_BYTES = 16, GR_SASS_FIRST_CC = 70 }; /* 128 bits from Volta on */

struct gr_sass {
    int op;       /* enum gr_code_op; OTHER if its predicate is never true */
    int width;    /* index into 8, 16, 32, 64, 128 bits a thread; -1 for what moves no data */
    bool known;   /* the table has its opcode */
    bool idle;    /* NOP, and a branch to itself: what the compiler puts after the last exit */
    bool jumps;   /* a branch to a place that the instruction names */
    int64_t jump; /* in bytes from the next instruction */
};

/* What the table of opcodes says. */
struct gr_sass_row {
    uint16_t opcode;           /* bits 0..8; bits 9..11 say where the operands are */
    uint8_t first_cc, last_cc; /* the architectures it is valid for; NVIDIA has reused opcodes */
    uint8_t op;                /* enum gr_code_op */
    uint8_t width;             /* enum gr_sass_width */
};

/* Where an instruction keeps its width. */
enum gr_sass_width {
    GR_SASS_NO_WIDTH,
    GR_SASS_WIDTH,      /* bits 73..75: u8 s8 u16 s16 32 64 128 */
    GR_SASS_COPY_WIDTH, /* LDGSTS: the same, and from sm_100 on bits 74..75: 32 64 128 */
    GR_SASS_MATRICES,   /* LDSM, STSM: bits 72..73, of 8 x 8 half-precision matrices: 1 2 4 */
    GR_SASS_WIDEST      /* 256 bits a thread, counted with 128 */
};

/* All rows, ascending by opcode. */
const struct gr_sass_row *gr_sass_table(size_t *count);
/* Null for an opcode that did not occur in the code that the table was derived from. */
const struct gr_sass_row *gr_sass_find(int cc, int opcode);
struct gr_sass gr_sass_decode(int cc, uint64_t low, uint64_t high);

#endif
