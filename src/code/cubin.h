/* cubin.h: reads a cubin: its kernels, the resources that each needs, and its instructions. It
 * needs none of NVIDIA's tools, so that it works on any machine. SPDX-License-Identifier: MIT */
#ifndef CODE_CUBIN_H
#define CODE_CUBIN_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

/* One __global__ function. */
struct gr_code_kernel {
    char *symbol; /* mangled */
    int section;  /* of its instructions: index of the ELF section */
    int registers;
    int64_t smem_bytes;     /* static shared memory */
    int64_t constant_bytes; /* bank 0: what the driver passes, parameters included */
    int64_t parameter_bytes;
    int64_t
        stack_bytes; /* local memory of a thread: arrays that are not in registers, and spills */
    int barriers;
    int64_t max_threads;       /* of a block, from __launch_bounds__; 0: not given */
    const unsigned char *text; /* its instructions, inside the image */
    size_t text_bytes;
};

struct gr_code {
    int cc; /* 90 for sm_90 and sm_90a */
    struct gr_code_kernel *kernels;
    int count;
};

/* The image must outlive `code`. INVALID: not a cubin, truncated, or not for an NVIDIA GPU. */
enum gradus_status gr_code_read(const void *image, size_t length, struct gr_code *code,
                                struct gradus_error *error);
void gr_code_free(struct gr_code *code);
/* The kernel of that symbol, or null. */
const struct gr_code_kernel *gr_code_find(const struct gr_code *code, const char *symbol);

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

struct gr_mix {
    int64_t total; /* instructions, the padding after the last exit left out */
    int64_t count[GR_OP_CLASS_COUNT];
    int64_t width[GR_OP_CLASS_COUNT][GR_OP_WIDTHS]; /* of the memory classes */
    int64_t unknown; /* opcodes that are not in the table; they are counted in OTHER too */
};

/* The static instruction mix of a kernel and of its hottest loop. A loop is a backward branch and
 * what it spans. The hottest one is, among the loops that multiply and contain no other loop that
 * does, the one with the most multiply-adds and tensor instructions; if none multiplies, the
 * longest innermost loop; all zero if there is no loop. For Volta and later, whose instructions
 * have 128 bits; UNSUPPORTED for others. */
enum gradus_status gr_code_mix(const struct gr_code *code, const struct gr_code_kernel *kernel,
                               struct gr_mix *whole, struct gr_mix *loop,
                               struct gradus_error *error);

/* "FFMA", "LDS" … */
const char *gr_op_name(int op);

#endif
