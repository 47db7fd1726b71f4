/* instruction.h: one machine instruction of a GPU, as far as it is told apart.
 * SPDX-License-Identifier: MIT */
#ifndef CODE_INSTRUCTION_H
#define CODE_INSTRUCTION_H

#include "records/trace.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* The names are NVIDIA's; AMD's instructions are in the class that does the same. */
enum gr_code_op {
    GR_OP_FFMA, /* f32 multiply-add (FFMA, FFMA2 counted once each) */
    GR_OP_DFMA,
    GR_OP_HFMA2,   /* f16 and bf16; those of zeros, which load a constant, are moves */
    GR_OP_MMA,     /* HMMA, IMMA, DMMA, HGMMA, UTCMMA …: the tensor cores */
    GR_OP_FLOAT,   /* other floating-point arithmetic: FADD, FMUL, FSETP, DADD, MUFU … */
    GR_OP_INTEGER, /* IMAD, IADD3, LEA, LOP3, SHF, ISETP, uniform ones as well … */
    GR_OP_LDG,     /* LDG, and LD, whose address decides the memory space at run time */
    GR_OP_STG,     /* STG and ST */
    GR_OP_LDS,     /* LDS, LDSM */
    GR_OP_STS,     /* STS, STSM */
    GR_OP_LDL,     /* local memory: spills and arrays */
    GR_OP_STL,
    GR_OP_LDGSTS,   /* cp.async */
    GR_OP_BULK,     /* the tensor copy engine: UTMALDG, UBLKCP … */
    GR_OP_CONSTANT, /* LDC, ULDC */
    GR_OP_ATOMIC,
    GR_OP_BARRIER, /* BAR, DEPBAR, SYNCS, WARPSYNC … */
    GR_OP_BRANCH,
    GR_OP_MOVE,  /* MOV, SEL, PRMT, S2R, CS2R, SHFL … */
    GR_OP_OTHER, /* and instructions whose predicate is never true */
    GR_OP_CLASS_COUNT
};

enum { GR_OP_WIDTHS = 5 }; /* 8, 16, 32, 64, 128 bits a thread; 256 with 128 */

/* What an instruction does to memory, for one lane. */
struct gr_instruction_access {
    bool any;            /* false: nothing that is listed; local memory and constants are not */
    enum gr_space space; /* GR_SPACE_OTHER: the address decides it at run time */
    enum gr_access access;
    int bytes;
};

struct gr_instruction {
    int64_t offset; /* in the kernel's instructions, in bytes */
    int op;         /* enum gr_code_op */
    int width;      /* index into 8, 16, 32, 64, 128 bits a thread; -1 for what moves no data */
    bool known;     /* the table has its opcode */
    bool idle;      /* what the compiler puts after the last exit */
    bool jumps;     /* a branch to a place that the instruction names */
    int64_t target; /* of a jump: an offset */
    bool vector;    /* AMD: of the vector ALU or a matrix core */
    int flops;      /* AMD: of f32 or f64, of a lane; a multiply-add is two */
    struct gr_instruction_access access;
};

struct gr_code;
struct gr_code_kernel;

/* The instructions of a kernel without the idle ones at its end; *list is malloc'ed. UNSUPPORTED:
 * of an NVIDIA GPU older than Volta, whose instructions do not have 128 bits, or of an AMD GPU
 * without a disassembler. */
enum gradus_status gr_instructions_read(const struct gr_code *code,
                                        const struct gr_code_kernel *kernel,
                                        struct gr_instruction **list, int64_t *count,
                                        struct gradus_error *error);

/* "FFMA", "LDS" … */
const char *gr_op_name(int op);
/* The same classes in AMD's words: "FMA", "LDS read" … */
const char *gr_op_name_amd(int op);

#endif
