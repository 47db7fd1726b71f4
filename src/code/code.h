/* code.h: what is known of a GPU's machine code: the kernels of a cubin or of an AMD code object,
 * the resources that each needs, and its instructions. SPDX-License-Identifier: MIT */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "code/instruction.h"

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

/* What only AMD's kernels have. */
struct gr_code_amd {
    int agprs; /* of a work-item: accumulation registers; `registers` includes them */
    int sgprs; /* of a wavefront: scalar registers */
    int vgpr_spills, sgpr_spills;
    int wave; /* work-items of a wavefront: 32 or 64 */
    bool wgp; /* a workgroup runs on both compute units of a workgroup processor */
};

/* A parameter of NVIDIA's kernels: what the machine code knows of it. */
struct gr_code_parameter {
    int offset, bytes;
};
enum { GR_CODE_PARAMETERS = 64 };

/* One __global__ function. */
struct gr_code_kernel {
    char *symbol; /* mangled */
    int section;  /* of its instructions: index of the ELF section; 0: `address` is the file's */
    uint64_t address;       /* of its first instruction in the section */
    int registers;          /* of a thread; AMD: vector registers, as they are allocated together */
    int64_t smem_bytes;     /* static shared memory */
    int64_t constant_bytes; /* bank 0: what the driver passes, parameters included */
    int64_t parameter_bytes;
    int64_t
        stack_bytes; /* local memory of a thread: arrays that are not in registers, and spills */
    int barriers;
    int64_t max_threads; /* of a block, from __launch_bounds__; 0: not given */
    int64_t block[3];    /* that each launch must have (.reqntid); 0: not given */
    struct gr_code_parameter parameters[GR_CODE_PARAMETERS]; /* NVIDIA's, in their order */
    int parameter_count;       /* GR_CODE_PARAMETERS + 1: more than these */
    const unsigned char *text; /* its instructions, inside the image */
    size_t text_bytes;
    struct gr_code_amd amd;
    /* AMD: as a disassembler has read them (code/amd_listing.h); null: none has. */
    struct gr_instruction *instructions;
    int64_t instruction_count;
};

struct gr_code {
    bool is_amd;
    char arch[32]; /* AMD: "gfx90a" */
    int cc;        /* 90 for sm_90 and sm_90a; 0: AMD */
    struct gr_code_kernel *kernels;
    int count;
};

/* The image must outlive `code`. INVALID: not a cubin or a code object, truncated, or damaged. */
enum gradus_status gr_code_read(const void *image, size_t length, struct gr_code *code,
                                struct gradus_error *error);
void gr_code_free(struct gr_code *code);
/* The kernel of that symbol, or null. */
const struct gr_code_kernel *gr_code_find(const struct gr_code *code, const char *symbol);

struct gr_mix {
    int64_t total; /* instructions, the padding after the last exit left out */
    int64_t count[GR_OP_CLASS_COUNT];
    int64_t width[GR_OP_CLASS_COUNT][GR_OP_WIDTHS]; /* of the memory classes */
    int64_t unknown; /* opcodes that are not in the table; they are counted in OTHER too */
    int64_t vector;  /* AMD: of the vector ALU and the matrix cores */
    int64_t flops;   /* AMD: of f32 or f64, of a lane; a multiply-add is two */
};

/* The static instruction mix of a kernel and of its hottest loop. A loop is a backward branch and
 * what it spans. The hottest one is, among the loops that multiply and contain no other loop that
 * does, the one with the most multiply-adds and tensor instructions; if none multiplies, the
 * longest innermost loop; all zero if there is no loop. UNSUPPORTED: as gr_instructions_read. */
enum gradus_status gr_code_mix(const struct gr_code *code, const struct gr_code_kernel *kernel,
                               struct gr_mix *whole, struct gr_mix *loop,
                               struct gradus_error *error);

#endif
