/* decode.h: one instruction of NVIDIA's machine code, decoded: its mnemonic, modifiers and
 * operands, as nvdisasm writes them. SPDX-License-Identifier: MIT */
#ifndef CODE_DECODE_H
#define CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_DECODED_OPERANDS = 12,
    GR_DECODED_MODIFIERS = 12,
    GR_DECODED_SUFFIXES = 4,
    GR_REGISTER_ZERO = 255, /* RZ, and URZ on every architecture */
    GR_PREDICATE_TRUE = 7   /* PT and UPT */
};

enum gr_operand_kind {
    GR_OPERAND_NONE,
    GR_OPERAND_REGISTER,          /* R4, RZ; `number` */
    GR_OPERAND_UNIFORM,           /* UR4, URZ; `number` */
    GR_OPERAND_PREDICATE,         /* P0, PT; `number` */
    GR_OPERAND_UNIFORM_PREDICATE, /* UP0, UPT */
    GR_OPERAND_IMMEDIATE,         /* an integer, or the bits of a floating-point number; `value` */
    GR_OPERAND_CONSTANT,   /* c[bank][offset], c[bank][R+offset], c[URb][offset], cx[URb][offset] */
    GR_OPERAND_ADDRESS,    /* [R+UR+offset]; and desc[UR][R+offset], with a descriptor */
    GR_OPERAND_TARGET,     /* of a branch; `value` is the address of the instruction */
    GR_OPERAND_SPECIAL,    /* SR_TID.X; `number` is its number in the machine, `name` its name */
    GR_OPERAND_BARRIER,    /* B0, of BSSY and BSYNC; `number` */
    GR_OPERAND_SCOREBOARD, /* SB0 and gsb0; `number` */
    GR_OPERAND_LIST,       /* {3,2}; `value` is the set as bits */
    GR_OPERAND_NAMED       /* any other word, such as PR, CCTL's; `name` */
};

struct gr_operand {
    enum gr_operand_kind kind;
    bool negated;  /* -x */
    bool absolute; /* |x| */
    bool inverted; /* ~x of a register, !p of a predicate */
    bool reused;   /* .reuse: a hint to the register cache */
    bool is_float; /* IMMEDIATE: nvdisasm prints it as a floating-point number */
    uint8_t number;
    /* CONSTANT, ADDRESS: the register that is added, GR_REGISTER_ZERO for none; and the uniform
     * register that is added (ADDRESS) or has the bank's descriptor (CONSTANT), GR_REGISTER_ZERO
     * for none. */
    uint8_t base, uniform;
    uint8_t descriptor;      /* ADDRESS: UR of desc[UR] or gdesc[UR]; GR_REGISTER_ZERO: none */
    bool has_base;           /* a register is written, RZ too */
    bool uniform_base;       /* CONSTANT: `base` is a uniform register, LDCU's c[0x0][UR4+0x10] */
    bool has_uniform;        /* likewise */
    bool has_descriptor;     /* likewise */
    bool extended;           /* cx[…], gdesc[…] in place of c[…], desc[…] */
    uint8_t bank;            /* CONSTANT */
    int64_t value;           /* IMMEDIATE, CONSTANT and ADDRESS (offset), TARGET, LIST */
    const char *base_suffix; /* ADDRESS: of the register, such as "64", "X4", "U32"; null: none */
    /* SPECIAL, NAMED, BARRIER, SCOREBOARD: the word; a floating-point IMMEDIATE: its format, "F16",
     * "BF16", "F32" or "F64"; an ADDRESS that is not of memory: "a", "tmem". */
    const char *name;
    /* What follows the operand, such as "H0_H0", "64", "ROW", in order; null from the end on. */
    const char *suffix[GR_DECODED_SUFFIXES];
};

/* Strings are static: nothing is to be freed. */
struct gr_decoded {
    const char *mnemonic;                       /* "IMAD" */
    const char *modifier[GR_DECODED_MODIFIERS]; /* "WIDE", "U32", in nvdisasm's order; null from the
                                                   end on */
    int operand_count;
    struct gr_operand operand[GR_DECODED_OPERANDS]; /* in nvdisasm's order */
    struct gr_operand guard;                        /* @P0, @!UP1; PT not inverted: always */
    uint64_t address;                               /* as it was given */
    /* Control bits: cycles to wait, yield hint, barriers set and waited for. */
    uint8_t stall, yield, write_barrier, read_barrier, wait_mask;
};

/* Decodes the instruction of `low` and `high`, the first and the second 8 bytes, at `address` in
 * its function, for compute capability `cc` (75, 80, 90, …). False: it is no instruction that the
 * table has; nothing is guessed. */
bool gr_decode(int cc, uint64_t low, uint64_t high, uint64_t address, struct gr_decoded *out);

/* Does the table have instructions of that compute capability? */
bool gr_decode_knows(int cc);

/* Writes it as nvdisasm does, without the semicolon: "@!P0 IMAD.WIDE.U32 R2, R3.reuse, 0x4, R4".
 * Returns the length that the whole text has, as snprintf does. */
int gr_decoded_text(const struct gr_decoded *decoded, char *text, size_t size);

#endif
