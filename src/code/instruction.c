/* instruction.c: the instructions of a kernel: NVIDIA's are decoded, AMD's were disassembled.
 * SPDX-License-Identifier: MIT */
#include "code/instruction.h"

#include "code/code.h"
#include "code/elf.h"
#include "code/sass.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* Opcodes whose class alone does not determine the memory space or the width (sass_table.c names
 * them all). */
enum {
    OPCODE_LDG_256 = 0x17e,
    OPCODE_STG_256 = 0x17f,
    OPCODE_LD = 0x180,
    OPCODE_ST = 0x185,
    OPCODE_ATOM = 0x18a,
    OPCODE_ATOM_CAS = 0x18b,
    OPCODE_ATOMS = 0x18c,
    OPCODE_ATOMS_CAS = 0x18d,
    OPCODE_ATOM_FLOAT = 0x1a2,
    OPCODE_ATOMG_FLOAT = 0x1a3,
    OPCODE_REDG_FLOAT = 0x1a6,
    ATOMIC_TYPES_CC = 90 /* from here on integer atomics have other type codes */
};

/* Bits 73..75 are the type. Integers: u32 s32 u64, then f32 f16x2 s64 f64 before sm_90, and s64
 * from there on. Floats: f16x2 f32 f32x2 f32x4 … f64. */
static int atomic_bytes(int cc, int opcode, int type)
{
    static const int8_t older[] = {4, 4, 8, 4, 4, 8, 8, 8}, newer[] = {4, 4, 8, 8, 4, 8, 8, 8},
                        floats[] = {4, 4, 8, 16, 4, 4, 4, 8};
    if (opcode == OPCODE_ATOM_FLOAT || opcode == OPCODE_ATOMG_FLOAT || opcode == OPCODE_REDG_FLOAT)
        return floats[type];
    return cc >= ATOMIC_TYPES_CC ? newer[type] : older[type];
}

static enum gr_space atomic_space(int opcode)
{
    if (opcode == OPCODE_ATOMS || opcode == OPCODE_ATOMS_CAS)
        return GR_SPACE_SHARED;
    return opcode == OPCODE_ATOM || opcode == OPCODE_ATOM_CAS || opcode == OPCODE_ATOM_FLOAT
               ? GR_SPACE_OTHER
               : GR_SPACE_GLOBAL;
}

/* The memory access of an instruction. */
static struct gr_instruction_access access_of(int cc, struct gr_sass sass, uint64_t low,
                                              uint64_t high)
{
    int opcode = (int)(low & 0x1ff), type = (int)(high >> 9 & 7);
    bool any = opcode == OPCODE_LD || opcode == OPCODE_ST;
    bool widest = opcode == OPCODE_LDG_256 || opcode == OPCODE_STG_256;
    struct gr_instruction_access a = {.any = true};
    a.bytes = widest ? 32 : sass.width >= 0 ? 1 << sass.width : 0;
    switch (sass.op) {
    case GR_OP_LDG:
    case GR_OP_STG:
        a.space = any ? GR_SPACE_OTHER : GR_SPACE_GLOBAL;
        a.access = sass.op == GR_OP_LDG ? GR_ACCESS_LOAD : GR_ACCESS_STORE;
        return a;
    case GR_OP_LDS:
    case GR_OP_STS:
        a.space = GR_SPACE_SHARED;
        a.access = sass.op == GR_OP_LDS ? GR_ACCESS_LOAD : GR_ACCESS_STORE;
        return a;
    case GR_OP_LDGSTS:
        a.space = GR_SPACE_GLOBAL;
        a.access = GR_ACCESS_COPY;
        return a;
    case GR_OP_ATOMIC:
        a.space = atomic_space(opcode);
        a.access = GR_ACCESS_ATOMIC;
        a.bytes = atomic_bytes(cc, opcode, type);
        return a;
    default:
        return (struct gr_instruction_access){0};
    }
}

static void decode(int cc, const unsigned char *at, struct gr_instruction *i)
{
    const uint64_t low = gr_elf_number(at, 8), high = gr_elf_number(at + 8, 8);
    const struct gr_sass sass = gr_sass_decode(cc, low, high);
    i->op = sass.op;
    i->width = sass.width;
    i->known = sass.known;
    i->idle = sass.idle;
    i->jumps = sass.jumps;
    i->target = i->offset + GR_SASS_BYTES + sass.jump;
    i->access = access_of(cc, sass, low, high);
}

static enum gradus_status refuse(const struct gr_code *code, const struct gr_code_kernel *kernel,
                                 struct gradus_error *error)
{
    if (code->is_amd)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: the instructions of %s are read with LLVM's disassembler, which is "
                       "not here; get it with: apt-get install llvm-19",
                       code->arch);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "%s: instructions of sm_%d are not read, wanted sm_%d or later", kernel->symbol,
                   code->cc, GR_SASS_FIRST_CC);
}

enum gradus_status gr_instructions_read(const struct gr_code *code,
                                        const struct gr_code_kernel *kernel,
                                        struct gr_instruction **list, int64_t *count,
                                        struct gradus_error *error)
{
    *list = NULL;
    *count = 0;
    if (code->is_amd ? !kernel->instructions : code->cc < GR_SASS_FIRST_CC)
        return refuse(code, kernel, error);
    size_t many =
        code->is_amd ? (size_t)kernel->instruction_count : kernel->text_bytes / GR_SASS_BYTES;
    *list = calloc(many + 1, sizeof **list);
    if (!*list)
        return gr_fail_memory(error, "a kernel's instructions", many * sizeof **list);
    for (size_t i = 0; i < many && !code->is_amd; i++) {
        (*list)[i].offset = (int64_t)(i * GR_SASS_BYTES);
        decode(code->cc, kernel->text + i * GR_SASS_BYTES, &(*list)[i]);
    }
    if (code->is_amd)
        memcpy(*list, kernel->instructions, many * sizeof **list);
    while (many > 0 && (*list)[many - 1].idle)
        many--;
    *count = (int64_t)many;
    return GRADUS_OK;
}

const char *gr_op_name(int op)
{
    static const char *const names[GR_OP_CLASS_COUNT] = {
        "FFMA", "DFMA", "HFMA2",  "MMA",  "FLOAT", "INTEGER", "LDG",     "STG",    "LDS",  "STS",
        "LDL",  "STL",  "LDGSTS", "BULK", "LDC",   "ATOMIC",  "BARRIER", "BRANCH", "MOVE", "OTHER"};
    return op >= 0 && op < GR_OP_CLASS_COUNT ? names[op] : "?";
}

const char *gr_op_name_amd(int op)
{
    static const char *const names[GR_OP_CLASS_COUNT] = {
        "fma f32",   "fma f64",  "fma f16",   "matrix",     "float",      "integer",   "load",
        "store",     "LDS read", "LDS write", "scratch ld", "scratch st", "ld to LDS", "bulk",
        "scalar ld", "atomic",   "wait",      "branch",     "move",       "other"};
    return op >= 0 && op < GR_OP_CLASS_COUNT ? names[op] : "?";
}
